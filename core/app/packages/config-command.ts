import path from 'node:path';
import { isCoded, messageOf } from '../../base/coded-error.js';
import type { PackageKind } from '../../resources/packages/package-contents.js';
import type { PackageSetting } from '../../resources/setting-table.js';
import type { SettingsFile } from '../../resources/settings.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand, TRUST_FLAGS } from '../subcommand-args.js';
import { type OfferedRow, offeredResources } from './offered-resources.js';
import { type CommandIo, fileToChange, openPackageContext, type PackageContext } from './package-context.js';
import { namesPackage, rawPackages, settingsText, writeSetting } from './package-settings.js';
import { switchInPackage, switchTopLevel } from './switch-resource.js';

const USAGE = `Usage: pi config [--json]                  list resources, and which of them load
       pi config enable|disable <name>...   choose; a name is as the list shows it, or the path of the file
       pi config builtin on|off             skills and prompt templates that come with this program (off until asked for)

  -l, --local         the project's settings (.pi/settings.json) instead of yours
  -a, --approve       trust the files of this project for this command
  -na, --no-approve   ignore the files of this project
`;

const MAX_NAMES = 1000;
/** What the program brings. */
const BUILTIN = ['skills', 'prompts'];

/** Runs `pi config …`; `args` without the word. Gives the exit code. */
export async function runConfigCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = { '-l': 'local', '--local': 'local', '--json': 'json', ...TRUST_FLAGS };
  const parsed = parseSubcommand(args, { flags, maxWords: MAX_NAMES });
  if (parsed === 'help') {
    io.stdout(USAGE);
    return EXIT_CODES.ok;
  }
  const problem = 'problem' in parsed ? parsed.problem : problemOf(parsed.words);
  if ('problem' in parsed || problem !== undefined) {
    io.stderr(`pi config: ${problem}\n${USAGE}`);
    return EXIT_CODES.usage;
  }
  try {
    const [action, ...names] = parsed.words;
    const context = await openPackageContext(io, parsed.flags, 'config');
    if (action === undefined) return await show(context, io, parsed.flags.has('json'));
    const file = fileToChange(context, parsed.flags.has('local'), io.cwd);
    if (action === 'builtin') return await setBuiltin(names[0] === 'on', file, io);
    return await switchAll(names, action === 'enable', file, context, io);
  } catch (error) {
    if (!isCoded(error)) throw error;
    io.stderr(`pi config: ${messageOf(error)}\n`);
    return EXIT_CODES.failure;
  }
}

function problemOf([action, ...names]: readonly string[]): string | undefined {
  if (action === undefined) return undefined;
  if (action === 'builtin')
    return names.length === 1 && /^(?:on|off)$/.test(names[0] ?? '') ? undefined : 'builtin needs "on" or "off"';
  if (action !== 'enable' && action !== 'disable') return `"${action}" is none of enable, disable, builtin`;
  return names.length === 0 ? `${action} needs a name; "pi config" lists them` : undefined;
}

async function show(context: PackageContext, io: CommandIo, asJson: boolean): Promise<number> {
  const rows = await offeredResources(context, io);
  const { builtin } = context.settings.settings;
  if (asJson) {
    const json = rows.map(({ package: one, ...row }) => ({ ...row, source: one?.source.text ?? 'local' }));
    io.stdout(`${JSON.stringify({ resources: json, builtin }, null, 2)}\n`);
    return EXIT_CODES.ok;
  }
  const sections = new Map<string, OfferedRow[]>();
  for (const row of rows) sections.set(titleOf(row, context), [...(sections.get(titleOf(row, context)) ?? []), row]);
  const texts = [...sections].map(
    ([title, list]) => `${title}\n${list.map((row) => `  ${mark(row.isEnabled)} ${row.name}\n`).join('')}`,
  );
  texts.push(`Built in\n${BUILTIN.map((kind) => `  ${mark(builtin.some((one) => one === kind))} ${kind}\n`).join('')}`);
  io.stdout(texts.join('\n'));
  return EXIT_CODES.ok;
}

function titleOf({ scope, package: one }: OfferedRow, { settings }: PackageContext): string {
  if (one) return `${one.source.text} (${scope})`;
  return scope === 'user' ? `User (${settings.global.baseDir})` : `Project (${settings.project?.baseDir ?? '.pi'})`;
}

function mark(isEnabled: boolean): string {
  return isEnabled ? '[x]' : '[ ]';
}

async function setBuiltin(isOn: boolean, file: SettingsFile, io: CommandIo): Promise<number> {
  await writeSetting(file, 'builtin', isOn ? BUILTIN : []);
  io.stdout(
    isOn
      ? 'The skills and prompt templates that come with pi are on\n'
      : 'The skills and prompt templates that come with pi are off\n',
  );
  return EXIT_CODES.ok;
}

async function switchAll(
  names: readonly string[],
  isOn: boolean,
  file: SettingsFile,
  context: PackageContext,
  io: CommandIo,
): Promise<number> {
  const rows = await offeredResources(context, io);
  const chosen: OfferedRow[] = [];
  for (const name of names) {
    const found = rows.filter((row) => answersTo(row, name, io.cwd));
    const [row, second] = found;
    if (row && !second) chosen.push(row);
    else {
      const which = found.map((one) => `${one.path}`).join('\n  ');
      io.stderr(
        row
          ? `pi config: "${name}" may be any of\n  ${which}\n`
          : `pi config: nothing is named "${name}"; "pi config" lists what there is\n`,
      );
      return EXIT_CODES.usage;
    }
  }
  for (const row of chosen) {
    // Each one reads the file anew: the one before it has just changed it.
    const now = await openPackageContext(
      { ...io, stderr: () => undefined },
      new Set(context.projectTrusted ? ['approve'] : ['noApprove']),
      'config',
    );
    const target = file === context.settings.global ? now.settings.global : (now.settings.project ?? now.settings.global);
    if (row.package) await switchOfPackage(row, isOn, target, now);
    else await switchOwn(row, isOn, target, now, io);
    io.stdout(`${isOn ? 'Enabled' : 'Disabled'} ${row.name}${row.package ? ` of ${row.package.source.text}` : ''}\n`);
  }
  return EXIT_CODES.ok;
}

/** By its name, by the last part of it, or by its path. */
function answersTo(row: OfferedRow, name: string, cwd: string): boolean {
  if (row.name === name || row.path === path.resolve(cwd, name)) return true;
  return !name.includes('/') && path.posix.basename(row.name).replace(/\.(?:md|[cm]?[jt]s|json)$/, '') === name;
}

async function switchOfPackage(
  { package: one, kind, name, path: file }: OfferedRow,
  isOn: boolean,
  target: SettingsFile,
  { home }: PackageContext,
): Promise<void> {
  if (!one) return;
  const exact = exactName(name, file, one.root);
  const entries = rawPackages(target);
  const at = entries.findIndex((entry) => namesPackage(entry, one.source, target, home));
  if (at < 0) {
    // In a project, of a package of the user's: only the change is written.
    const entry = { source: settingsText(one.source, target), autoload: false, [kind]: [`${isOn ? '+' : '-'}${exact}`] };
    await writeSetting(target, 'packages', [...entries, entry]);
    return;
  }
  const entry = (target.known.packages ?? [])[at] ?? one.source.text;
  await writeSetting(target, 'packages', [
    ...entries.slice(0, at),
    await switched(entry, kind, exact, isOn),
    ...entries.slice(at + 1),
  ]);
}

async function switched(entry: PackageSetting, kind: PackageKind, name: string, isOn: boolean): Promise<PackageSetting> {
  const object = typeof entry === 'string' ? { source: entry } : entry;
  const list = typeof entry === 'string' ? undefined : entry[kind];
  if (typeof entry !== 'string' && entry.autoload === false) {
    const others = (list ?? []).filter((word) => word !== `+${name}` && word !== `-${name}`);
    return { ...entry, [kind]: [...others, `${isOn ? '+' : '-'}${name}`] };
  }
  const next = await switchInPackage(list, name, isOn);
  const { [kind]: _, ...rest }: Exclude<PackageSetting, string> = object;
  if (next !== undefined) return { ...rest, [kind]: next };
  return Object.keys(rest).length === 1 ? rest.source : rest;
}

/** What `+` and `-` name: the folder of a skill, the file of anything else. */
function exactName(name: string, file: string, root: string): string {
  return path.basename(file) === 'SKILL.md' ? name : path.relative(root, file).split(path.sep).join('/');
}

async function switchOwn(
  { kind, path: file, name }: OfferedRow,
  isOn: boolean,
  target: SettingsFile,
  context: PackageContext,
  io: CommandIo,
): Promise<void> {
  if (kind === 'themes') return;
  const list = (target.known[kind] ?? []).filter((word) => word !== '');
  // From the file that is changed, which may not be the one the resource belongs to.
  const whole = path.basename(file) === 'SKILL.md' ? path.dirname(file) : file;
  const word = path.relative(target.baseDir, whole).split(path.sep).join('/');
  await writeSetting(target, kind, switchTopLevel(list, word, isOn, false));
  if (!isOn) return;
  const flags = new Set([context.projectTrusted ? 'approve' : 'noApprove']);
  const now = await openPackageContext({ ...io, stderr: () => undefined }, flags, 'config');
  const isOff = (await offeredResources(now, io)).some((row) => row.path === file && row.name === name && !row.isEnabled);
  // Something else in the list takes it out: it is put in by name.
  if (isOff) await writeSetting(target, kind, switchTopLevel(list, word, true, true));
}
