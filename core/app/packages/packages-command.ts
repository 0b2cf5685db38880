import { existsSync } from 'node:fs';
import path from 'node:path';
import { isCoded, messageOf } from '../../base/coded-error.js';
import { RESOURCE_ERRORS } from '../../resources/errors.js';
import type { ConfiguredPackage } from '../../resources/packages/configured-packages.js';
import { PACKAGE_KINDS } from '../../resources/packages/package-contents.js';
import { packageRoot } from '../../resources/packages/package-places.js';
import { packageResources } from '../../resources/packages/package-resources.js';
import { type PackageSource, parsePackageSource } from '../../resources/packages/package-source.js';
import type { SettingsFile } from '../../resources/settings.js';
import { EXIT_CODES } from '../process-end.js';
import { type ArgumentRules, parseSubcommand, TRUST_FLAGS } from '../subcommand-args.js';
import { type Installed, installPackages, isPinned, removePackage } from './installer.js';
import {
  type CommandIo,
  fileToChange,
  openPackageContext,
  type PackageContext,
  packagesByScope,
  rereadSettings,
} from './package-context.js';
import { namesPackage, rawPackages, sourceTextOf, withPackage, writeSetting } from './package-settings.js';
import { withStoreLock } from './store.js';

export type PackagesCommand = 'install' | 'remove' | 'uninstall' | 'update' | 'list';

const SCOPE = `  -l, --local         the project's settings (.pi/settings.json) instead of yours`;
const TRUST = `  -a, --approve       trust the files of this project for this command
  -na, --no-approve   ignore the files of this project`;
const FETCH = `  --allow-scripts     let packages run their install scripts (off: they could do anything, before anybody read them)
  --offline           use npm's cache and no network`;

const USAGE: Readonly<Record<PackagesCommand, string>> = {
  install: `Usage: pi install <source> [options]

Fetches a package and adds it to the settings. A source is npm:name[@version], git:host/path[@ref], a URL[@ref] or a path.

${SCOPE}
${FETCH}
${TRUST}
`,
  remove: `Usage: pi remove <source> [options]

Takes a package out of the settings and removes what was fetched for it; a path stays where it is.

${SCOPE}
${TRUST}
`,
  uninstall: `"pi uninstall" is the same as "pi remove".\n`,
  update: `Usage: pi update [<source>] [options]

Fetches what packages are now: those of the settings, or one of them. Exact versions stay; a git ref is followed if it moved.
The program itself is updated by whatever installed it.

${FETCH}
${TRUST}
`,
  list: `Usage: pi list [--json] [options]

Lists the packages of the settings and where they are.

${TRUST}
`,
};

const RULES: Readonly<Record<PackagesCommand, ArgumentRules>> = {
  install: {
    flags: { '-l': 'local', '--local': 'local', '--allow-scripts': 'allowScripts', '--offline': 'offline', ...TRUST_FLAGS },
    maxWords: 1,
  },
  remove: { flags: { '-l': 'local', '--local': 'local', '--offline': 'offline', ...TRUST_FLAGS }, maxWords: 1 },
  uninstall: { flags: { '-l': 'local', '--local': 'local', '--offline': 'offline', ...TRUST_FLAGS }, maxWords: 1 },
  update: {
    // --extensions and --all are how the existing program is told to update packages; here nothing else is updated anyway.
    flags: {
      '--allow-scripts': 'allowScripts',
      '--offline': 'offline',
      '--extensions': 'all',
      '--extension': 'all',
      '--all': 'all',
      ...TRUST_FLAGS,
    },
    maxWords: 1,
  },
  list: { flags: { '--json': 'json', ...TRUST_FLAGS }, maxWords: 0 },
};

/** Errors of a call that names nothing that could be meant. */
const WRONG_CALL: ReadonlySet<string> = new Set([RESOURCE_ERRORS.PACKAGE_SOURCE_INVALID]);

interface Call {
  command: PackagesCommand;
  io: CommandIo;
  context: PackageContext;
  flags: ReadonlySet<string>;
  source: string | undefined;
}

/** Runs `pi install|remove|update|list`; `args` without the command. Gives the exit code. */
export async function runPackagesCommand(
  command: PackagesCommand,
  args: readonly string[],
  io: CommandIo,
  signal?: AbortSignal,
): Promise<number> {
  const parsed = parseSubcommand(args, RULES[command]);
  const usage = USAGE[command === 'uninstall' ? 'remove' : command];
  if (parsed === 'help') {
    io.stdout(usage);
    return EXIT_CODES.ok;
  }
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  const needsSource = command !== 'update' && command !== 'list' && !('problem' in parsed) && parsed.words.length === 0;
  if ('problem' in parsed || needsSource) {
    io.stderr(`pi ${command}: ${problem ?? 'say which package'}\n${usage}`);
    return EXIT_CODES.usage;
  }
  try {
    const context = await openPackageContext(io, parsed.flags, command, signal);
    const call: Call = { command, io, context, flags: parsed.flags, source: parsed.words[0] };
    return await RUN[command](call);
  } catch (error) {
    if (!isCoded(error)) throw error;
    io.stderr(`pi ${command}: ${messageOf(error)}\n`);
    return WRONG_CALL.has(error.code) ? EXIT_CODES.usage : EXIT_CODES.failure;
  }
}

const RUN: Readonly<Record<PackagesCommand, (call: Call) => Promise<number>>> = {
  install,
  remove,
  uninstall: remove,
  update,
  list,
};

async function install({ io, context, flags, source: text = '' }: Call): Promise<number> {
  const file = fileToChange(context, flags.has('local'), io.cwd);
  const source = parsePackageSource(text, io.cwd, context.home);
  context.tools.progress(`installing ${source.text}`);
  const [installed] = await withStoreLock(file.baseDir, context.tools, async () => {
    const done = await installPackages(file.baseDir, [source], 'locked', context.tools);
    // Read again: another process may have changed it while this one waited or fetched.
    const now = rereadSettings(file, io);
    await writeSetting(now, 'packages', withPackage(now, source, context.home));
    return done;
  });
  io.stdout(`Installed ${nameOf(installed, source)}${await contentsOf(source, file, context)}\n`);
  if (flags.has('local')) await sayIfUntrusted(io, context);
  return EXIT_CODES.ok;
}

async function remove({ io, command, context, flags, source: text = '' }: Call): Promise<number> {
  const file = fileToChange(context, flags.has('local'), io.cwd);
  const source = parsePackageSource(text, io.cwd, context.home);
  const wasThere = await withStoreLock(file.baseDir, context.tools, async () => {
    const now = rereadSettings(file, io);
    // A path may also be given as the list shows it, which is how the settings write it.
    const isIt = (entry: unknown): boolean =>
      namesPackage(entry, source, now, context.home) || (source.kind === 'path' && sourceTextOf(entry) === source.text);
    const entries = rawPackages(now);
    const kept = entries.filter((entry) => !isIt(entry));
    if (kept.length === entries.length) return false;
    await writeSetting(now, 'packages', kept);
    await removePackage(now.baseDir, source, context.tools);
    return true;
  });
  if (!wasThere) {
    const where = flags.has('local') ? 'of this project' : 'of yours';
    io.stderr(`pi ${command}: no package ${where} is ${source.text}; "pi list" shows them\n`);
    return EXIT_CODES.failure;
  }
  io.stdout(`Removed ${source.text}\n`);
  return EXIT_CODES.ok;
}

async function update({ io, context, source: text }: Call): Promise<number> {
  const { user, project } = packagesByScope(context);
  const wanted = text === undefined ? undefined : parsePackageSource(text, io.cwd, context.home);
  const isWanted = (one: ConfiguredPackage): boolean => wanted === undefined || one.source.identity === wanted.identity;
  const scopes = [
    { packages: user, file: context.settings.global },
    { packages: project, file: context.settings.project },
  ];
  if (wanted && ![...user, ...project].some(isWanted)) {
    io.stderr(`pi update: no package is ${wanted.text}; "pi list" shows them\n`);
    return EXIT_CODES.failure;
  }
  let code: number = EXIT_CODES.ok;
  let changes = 0;
  for (const { packages, file } of scopes) {
    const sources = packages.filter(isWanted).map(({ source }) => source);
    const groups = [
      sources.filter(({ kind }) => kind === 'npm'),
      ...sources.filter(({ kind }) => kind === 'git').map((one) => [one]),
    ];
    for (const pinned of sources.filter(isPinned)) context.tools.progress(`${pinned.text} names a version and stays`);
    for (const group of groups) {
      const free = group.filter((source) => !isPinned(source) || !isThere(source, file));
      if (!file || free.length === 0) continue;
      try {
        const install = (): Promise<Installed[]> => installPackages(file.baseDir, free, 'newest', context.tools);
        for (const one of await withStoreLock(file.baseDir, context.tools, install)) {
          if (one.version === one.before) continue;
          changes += 1;
          io.stdout(`Updated ${one.source.text} ${one.before ?? 'from an unknown version'} -> ${one.version}\n`);
        }
      } catch (error) {
        if (!isCoded(error)) throw error;
        // The others are not kept from their updates by one that fails.
        io.stderr(`pi update: ${messageOf(error)}\n`);
        code = EXIT_CODES.failure;
      }
    }
  }
  if (changes === 0 && code === EXIT_CODES.ok) io.stdout('Everything is up to date\n');
  return code;
}

function isThere(source: PackageSource, file: SettingsFile | undefined): boolean {
  return file !== undefined && existsSync(packageRoot(source, file.baseDir));
}

async function list({ io, context, flags }: Call): Promise<number> {
  const { user, project } = packagesByScope(context);
  if (flags.has('json')) {
    const rows = [...user, ...project].map((one) => ({
      source: one.source.text,
      scope: one.scope,
      path: one.root,
      installed: existsSync(one.root),
      filtered: typeof one.setting !== 'string',
    }));
    io.stdout(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT_CODES.ok;
  }
  const sections = [
    { title: 'User packages:', packages: user },
    { title: 'Project packages:', packages: project },
  ].filter(({ packages }) => packages.length > 0);
  const texts = sections.map(({ title, packages }) => `${title}\n${packages.map(rowOf).join('')}`);
  io.stdout(texts.length === 0 ? 'No packages\n' : texts.join('\n'));
  return EXIT_CODES.ok;
}

function rowOf({ source, setting, root }: ConfiguredPackage): string {
  const filtered = typeof setting === 'string' ? '' : ' (filtered)';
  const state = existsSync(root)
    ? ''
    : source.kind === 'path'
      ? ' (not there)'
      : ` (not installed; run "pi install ${source.text}")`;
  return `  ${source.text}${filtered}\n    ${root}${state}\n`;
}

function nameOf(installed: Installed | undefined, source: PackageSource): string {
  const version = installed?.version;
  return version === undefined || version === '' || source.text.endsWith(`@${version}`)
    ? source.text
    : `${source.text} ${version}`;
}

/** What it brings, as `: 2 skills, 1 prompt`. */
async function contentsOf(source: PackageSource, file: SettingsFile, { warn }: PackageContext): Promise<string> {
  const one: ConfiguredPackage = { source, scope: 'user', setting: source.text, root: packageRoot(source, file.baseDir) };
  const resources = await packageResources([one], warn);
  const counts = PACKAGE_KINDS.flatMap((kind) => {
    const { length } = resources[kind];
    return length === 0 ? [] : [`${length} ${length === 1 ? kind.slice(0, -1) : kind}`];
  });
  if (counts.length > 0) return `: ${counts.join(', ')}`;
  warn(`${source.text} brings no extension, skill, prompt or theme`);
  return '';
}

/** A package in a project that no session will load is worth a word. */
async function sayIfUntrusted(io: CommandIo, context: PackageContext): Promise<void> {
  const { projectTrusted } = await openPackageContext({ ...io, stderr: () => undefined }, new Set(), 'install');
  if (projectTrusted) return;
  context.warn(
    `sessions do not load it yet: the project in ${path.resolve(io.cwd)} is not trusted as it is now; "pi trust" says that it is`,
  );
}
