import path from 'node:path';
import { optionNames } from '../../modes/cli/option-table.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import { filesOfPackage } from '../../resources/packages/package-contents.js';
import { BUILT_IN_TOOLS } from '../../tools/registry.js';
import { parseCapability } from '../../trust/capabilities.js';
import { shortenPlace, type Used } from '../ext-learn/summarize-uses.js';
import { isKnownEvent } from './known-events.js';
import { lineAt, moduleGraph, type Site, type SourceFile } from './module-graph.js';
import { type Probe, type ProbedExtension, type ProbeOptions, probe } from './probe.js';
import { siteOfName, type TerminalUse, terminalUses, unsupportedNames } from './scan-sources.js';

/** Something an author should look at. An `error` is one that users would meet. */
export interface CheckProblem extends Partial<Site> {
  severity: 'error' | 'warning';
  /** A word for programs: `load`, `handler`, `late`, `host-name`, `collision`, `event`, `resource`, `setting`, `audit`. */
  kind: string;
  message: string;
}

export interface NeededCapability {
  capability: string;
  /** `file:line`, each once. */
  sites: string[];
  /** How a restricted extension has to do it. */
  how?: string;
  /** False for what no setting grants. */
  grantable: boolean;
}

export interface CheckedExtension {
  name: string;
  path: string;
  /** What the settings would let it be, given with `-e`. */
  level: ProbedExtension['level'];
  state: ProbedExtension['state'];
  loadMs?: number;
  registers: {
    tools: string[];
    commands: string[];
    flags: string[];
    /** Events and hooks it listens to. */
    events: string[];
    providers: string[];
    /** As the text says; without a terminal the program does not ask for them. */
    shortcuts: Site[];
    renderers: (Site & { member: string })[];
  };
  /** Dialogs it opens at the start of a session. */
  dialogs: { method: string; title: string }[];
  needsTerminal: TerminalUse[];
  /** What it used at the start, and what it registers, asks for. */
  capabilities: NeededCapability[];
  declared: string[];
  problems: CheckProblem[];
}

export interface CheckReport {
  path: string;
  /** Nothing users would meet is wrong. */
  ok: boolean;
  extensions: CheckedExtension[];
  /** Skills and prompt templates it brings, by its handler of `resources_discover` or its package. */
  resources: { kind: 'skill' | 'prompt'; name: string; path: string }[];
  problems: CheckProblem[];
}

/** Loads what is at `target` as a session here would, once as it is and once with its uses written down, and reads its sources. */
export async function checkExtension(target: string, io: ProbeOptions['io'], signal?: AbortSignal): Promise<CheckReport> {
  const found = await probe({ io, only: target, signal });
  const mine = found.extensions.filter(({ source }) => source !== 'builtin');
  const own = new Set(mine.map((one) => one.path));
  // Only this one was looked for: places that hold nothing are its own.
  const problems = found.diagnostics
    .filter(({ kind, path: file = '' }) => kind === 'extension' && !own.has(file))
    .map((one) => toProblem(one, 'resource'));
  const extensions: CheckedExtension[] = [];
  for (const one of mine) {
    const audited = one.state === 'ready' ? await probe({ io, only: target, audit: one.path, signal }) : undefined;
    const extension = checked(one, found, audited?.uses ?? [], io);
    const failed = audited?.extensions.find(({ path: file, state }) => file === one.path && state !== 'ready');
    if (failed) {
      const message = `Its capabilities are not all known: it did not load a second time: ${failed.reason ?? failed.state}`;
      extension.problems.push({ severity: 'warning', kind: 'audit', message, path: one.path });
    }
    extensions.push(extension);
    for (const text of audited?.diagnostics.filter(({ kind }) => kind === 'skill' || kind === 'prompt') ?? [])
      if (!problems.some(({ message }) => message === text.message)) problems.push(toProblem(text, 'resource'));
  }
  if (found.isLate) problems.push({ severity: 'error', kind: 'late', message: 'It was not done loading after 30 seconds' });
  if (mine.length === 0 && problems.length === 0)
    problems.push({ severity: 'error', kind: 'load', message: 'There is no extension here', path: target });
  const all = [...problems, ...extensions.flatMap((one) => one.problems)];
  return {
    path: target,
    ok: all.every(({ severity }) => severity !== 'error'),
    extensions,
    resources: await resourcesOf(found.commands, target),
    problems,
  };
}

function checked(one: ProbedExtension, found: Probe, uses: readonly Used[], io: ProbeOptions['io']): CheckedExtension {
  const files = moduleGraph(one.path);
  const terminal = terminalUses(files);
  const isMine = ({ extension }: { extension: string }): boolean => extension === one.name;
  const seen = found.usedTerminal
    .filter(isMine)
    .filter(({ member }) => !terminal.some((use) => member.startsWith(use.member)))
    .map(({ member }) => ({ member, effect: 'does nothing without a terminal', path: one.path, line: 1 }));
  const { tools, commands, flags, events, providers, loadMs } = one;
  const ofMember = (name: RegExp) => terminal.filter(({ member }) => name.test(member));
  return {
    name: one.name,
    path: one.path,
    level: one.level,
    state: one.state,
    ...(loadMs !== undefined && { loadMs }),
    registers: {
      tools,
      commands,
      flags,
      events,
      providers,
      shortcuts: ofMember(/registerShortcut$/).map(({ path: file, line }) => ({ path: file, line })),
      renderers: ofMember(/register.*(?:Renderer|Transformer)$/).map(({ member, path: file, line }) => ({
        member,
        path: file,
        line,
      })),
    },
    dialogs: found.dialogs.filter(isMine).map(({ method, title }) => ({ method, title })),
    needsTerminal: [...terminal, ...seen],
    capabilities: capabilitiesOf(uses, io),
    declared: [...one.declared],
    problems: [...loadProblems(one, found, files), ...nameProblems(one, found, files), ...hostNameProblems(files)],
  };
}

/** Why it did not load, and what its handlers did wrong. */
function loadProblems(one: ProbedExtension, found: Probe, files: readonly SourceFile[]): CheckProblem[] {
  const problems: CheckProblem[] = [];
  if (one.state !== 'ready') {
    const message = one.reason ?? `It is ${one.state}`;
    problems.push({
      severity: 'error',
      kind: 'load',
      message,
      ...(siteIn(`${message}\n${one.stack ?? ''}`, files) ?? { path: one.path }),
    });
  }
  for (const { extensionPath, event, error } of found.errors) {
    if (extensionPath !== one.path || (one.state !== 'ready' && event === 'load')) continue;
    if (problems.some(({ message }) => error.startsWith(message))) continue;
    problems.push({
      severity: 'error',
      kind: 'handler',
      message: `${event}: ${error}`,
      ...(siteIn(error, files) ?? { path: one.path }),
    });
  }
  for (const { kind, severity, message, path: file } of found.diagnostics) {
    if (kind !== 'extension' || file !== one.path || message.startsWith(`Extension ${file}: `)) continue;
    problems.push({ severity: severity === 'error' ? 'error' : 'warning', kind: 'setting', message, path: file });
  }
  return problems;
}

/** The first place in one of its files that a message or a stack names. */
function siteIn(text: string, files: readonly SourceFile[]): Site | undefined {
  const own = new Set(files.map((file) => file.path));
  for (const [, file = '', line] of text.matchAll(/(?:^|[\s(]|file:\/\/)((?:\/|[A-Za-z]:\\)[^\s():]+):(\d+)/g)) {
    if (own.has(file)) return { path: file, line: Number(line) };
  }
  return undefined;
}

/** Names that are somebody else's already, and events that never come. */
function nameProblems(one: ProbedExtension, found: Probe, files: readonly SourceFile[]): CheckProblem[] {
  const warn = (kind: string, message: string, call: RegExp, name: string): CheckProblem => ({
    severity: 'warning',
    kind,
    message,
    ...(siteOfName(files, call, name) ?? { path: one.path }),
  });
  const options = new Set(optionNames());
  const templates = new Set(found.commands.filter((command) => !isItsOwn(command)).map(({ name }) => name));
  return [
    ...one.tools
      .filter((name) => BUILT_IN_TOOLS.includes(name))
      .map((name) => warn('collision', `The tool "${name}" takes the place of the built-in one`, /registerTool\s*\(/g, name)),
    ...one.commands
      .filter((name) => templates.has(name))
      .map((name) => warn('collision', `/${name} hides the prompt template of that name`, /registerCommand\s*\(/g, name)),
    ...one.flags
      .filter((name) => options.has(`--${name}`))
      .map((name) => {
        const message = `--${name} is an option of the program: the extension never gets it`;
        return warn('collision', message, /registerFlag\s*\(/g, name);
      }),
    ...one.providers
      .filter((name) => found.ownProviders.has(name))
      .map((name) => warn('collision', `The provider "${name}" changes the built-in one`, /registerProvider\s*\(/g, name)),
    ...one.events
      .filter((name) => !isKnownEvent(name))
      .map((name) => warn('event', `There is no event "${name}": its handler never runs`, /\.on\s*\(/g, name)),
  ];
}

function hostNameProblems(files: readonly SourceFile[]): CheckProblem[] {
  return unsupportedNames(files).map(({ name, specifier, instead, path: file, line }) => ({
    severity: 'error',
    kind: 'host-name',
    message: `${name} of ${specifier} throws when it is used. ${instead}`,
    path: file,
    // The import may span lines.
    line: lineOfName(files, file, name, line),
  }));
}

function lineOfName(files: readonly SourceFile[], file: string, name: string, from: number): number {
  const source = files.find((one) => one.path === file);
  if (!source) return from;
  const start = source.text.split('\n', from - 1).join('\n').length;
  const at = source.code.slice(start).search(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`));
  return at < 0 ? from : lineAt(source.text, start + at);
}

function capabilitiesOf(uses: readonly Used[], { cwd, env }: ProbeOptions['io']): NeededCapability[] {
  const found = new Map<string, NeededCapability>();
  for (const { capability, site, how } of uses) {
    const text = shortenPlace(capability, { cwd, home: env.HOME ?? '' });
    const known = found.get(text) ?? { capability: text, sites: [], grantable: !('problem' in parseCapability(text)) };
    if (!known.sites.includes(site)) known.sites.push(site);
    found.set(text, { ...known, ...(how !== undefined && { how }) });
  }
  return [...found.values()].sort((one, other) => (one.capability < other.capability ? -1 : 1));
}

async function resourcesOf(commands: readonly SlashCommand[], target: string): Promise<CheckReport['resources']> {
  const found = commands.filter(isItsOwn).map(({ source, name, path: file = '' }) => ({
    kind: source === 'skill' ? ('skill' as const) : ('prompt' as const),
    name,
    path: file,
  }));
  for (const kind of ['skills', 'prompts'] as const) {
    for (const file of await filesOfPackage(target, kind, () => undefined)) {
      if (found.some((one) => one.path === file)) continue;
      const name = kind === 'skills' ? path.basename(path.dirname(file)) : path.parse(file).name;
      found.push({ kind: kind === 'skills' ? 'skill' : 'prompt', name, path: file });
    }
  }
  return found;
}

/** Nobody else names places of skills and templates in such a session. */
const isItsOwn = ({ sourceInfo }: SlashCommand): boolean => sourceInfo?.source === 'cli';

function toProblem({ severity, message, path: file, line }: Diagnostic, kind: string): CheckProblem {
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    kind,
    message,
    ...(file !== undefined && { path: file }),
    ...(line !== undefined && { line }),
  };
}
