import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../../base/coded-error.js';
import { abortedError, settledWithin, sleep } from '../../base/deadline.js';
import { createLogger } from '../../base/logger.js';
import type { ExtensionRecord, ExtensionState } from '../../extension-host/host/extension-record.js';
import { parseArguments } from '../../modes/cli/parse-arguments.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import { agentDir as agentDirOf, homeDir } from '../../resources/agent-dir.js';
import { loadSettings } from '../../resources/settings.js';
import { decideProjectTrust } from '../../trust/project-trust.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import type { Used } from '../ext-learn/summarize-uses.js';
import { pinnedPlaces } from '../pinned-places.js';
import { VERSION } from '../version.js';

/** The host gives up on a factory long before; this is for all of them together, in milliseconds. */
const PROBE_MS = 30_000;
const SHUTDOWN_MS = 1_000;
const START_HANDLERS_MS = 3_000;
const LOOK_MS = 20;

export interface ProbeOptions {
  io: Pick<ExtCommandIo, 'agentDir' | 'env' | 'cwd'>;
  /** Load this one only, by its path or as `builtin:name`; else all that a session here would load. */
  only?: string;
  /** Run the extension of this file once with everything allowed, and write down what it uses. */
  audit?: string;
  /** Ends everything at once: rejects with `ABORTED`. */
  signal?: AbortSignal | undefined;
}

/** A member that needs a terminal and was used. */
export interface UsedTerminal {
  extension: string;
  member: string;
}

/** An extension as it was when everything had loaded. */
export interface ProbedExtension {
  name: string;
  path: string;
  level: ExtensionRecord['spec']['level'];
  source: string;
  state: ExtensionState;
  /** Why it is not ready, and where that was thrown. */
  reason: string | undefined;
  stack: string | undefined;
  loadMs: number | undefined;
  tools: string[];
  commands: string[];
  flags: string[];
  events: string[];
  providers: string[];
  declared: readonly string[];
}

/** What became of the extensions of a session that nobody speaks to. */
export interface Probe {
  extensions: readonly ProbedExtension[];
  /** Every problem of settings, resources and extensions. */
  diagnostics: readonly Diagnostic[];
  /** Lines for a person. */
  warnings: readonly string[];
  /** What went wrong in extensions, in the order it did. */
  errors: readonly { extensionPath: string; event: string; error: string; code?: string | undefined }[];
  usedTerminal: readonly UsedTerminal[];
  /** Dialogs that were opened; each was dismissed. */
  dialogs: readonly { extension: string; method: string; title: string }[];
  commands: readonly SlashCommand[];
  /** Names of providers that the program has itself. */
  ownProviders: ReadonlySet<string>;
  models: { all: number; usable: readonly string[] };
  uses: readonly Used[];
  /** Extensions were not done loading when the time was over. */
  isLate: boolean;
}

/**
 * A session as `pi --mode rpc` would start it here, without a file and without network, that ends when its extensions have loaded. Dialogs are
 * dismissed. Extensions run in a process of their own with the limits they always have, so it ends whatever they do.
 */
export async function probe({ io, only, audit, signal }: ProbeOptions): Promise<Probe> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-probe-'));
  const report = path.join(folder, 'uses.jsonl');
  const env = { ...io.env, ...(audit !== undefined && { PI_EXT_LEARN: JSON.stringify({ path: audit, report }) }) };
  try {
    const found = await runSession(env, io.cwd, argumentsFor(only, audit), signal);
    return { ...found, uses: readUses(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSession(
  env: NodeJS.ProcessEnv,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Omit<Probe, 'uses'>> {
  const { compose } = await import('../compose.js');
  const trust = (await isProjectTrusted(env, cwd)) ? '--approve' : '--no-approve';
  const parsed = parseArguments(['--mode', 'rpc', '--no-session', '--offline', trust, ...args]);
  if (!parsed.ok) throw parsed.error;
  const warnings: string[] = [];
  const errors: Probe['errors'][number][] = [];
  const dialogs: Probe['dialogs'][number][] = [];
  const usedTerminal: UsedTerminal[] = [];
  const app = await compose({
    options: parsed.options,
    env,
    cwd,
    unknown: [],
    mode: 'rpc',
    version: VERSION,
    emit: (event) => {
      if (event.type === 'extension_error') errors.push(event);
    },
    sendUi: ({ type, id, method, title, extension }) => {
      if (type !== 'extension_ui_request' || !DIALOGS.has(String(method))) return;
      const { name = '' } = (extension ?? {}) as { name?: string };
      dialogs.push({ extension: name, method: String(method), title: String(title ?? '') });
      setImmediate(() => app.extensions.answerDialog({ type: 'extension_ui_response', id, cancelled: true }));
    },
    shutdown: () => undefined,
    log: createLogger({ room: 'probe', level: 'error', write: () => undefined }),
    warn: (text) => {
      const used = /^The extension (\S+) used (.+), which needs a terminal/.exec(text);
      if (used) usedTerminal.push({ extension: used[1] ?? '', member: used[2] ?? '' });
      else warnings.push(text);
    },
  });
  try {
    const isDone = await unlessAborted(settledWithin(app.extensions.lifecycle.ready, PROBE_MS), signal);
    // A start handler that asks somebody is not waited for by the session; here it has its answer and soon goes on.
    if (dialogs.length > 0) await unlessAborted(startHandlers(app.extensions.extensions.records), signal);
    const [all, usable] = await Promise.all([app.registry.all(), app.registry.available()]);
    return {
      extensions: app.extensions.extensions.records.map(describe),
      diagnostics: await app.diagnostics(),
      warnings,
      errors,
      usedTerminal,
      dialogs,
      commands: await app.slash.slashCommands(),
      ownProviders: await ownProviders(env, cwd),
      models: { all: all.length, usable: usable.map(({ provider, id }) => `${provider}/${id}`) },
      isLate: !isDone,
    };
  } finally {
    if (signal?.aborted) app.killAll();
    await app.extensions.close('quit', SHUTDOWN_MS);
    await app.dispose();
  }
}

/** Gives up waiting when the signal fires. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortedError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

function argumentsFor(only: string | undefined, audit: string | undefined): string[] {
  if (only === undefined) return [];
  return [
    ...['--no-extensions', '--extension', only],
    // What it says to a model at the start costs nobody anything.
    ...['--provider', 'offline', '--model', 'offline'],
    // The resources that are left are its own.
    ...(audit === undefined ? [] : ['--no-skills', '--no-prompt-templates', '--no-context-files']),
  ];
}

/** Resolves when every handler of `session_start` is done, and after a while all the same. */
async function startHandlers(records: readonly ExtensionRecord[]): Promise<void> {
  const isOver = ({ events, hookTimes, state }: ExtensionRecord): boolean =>
    state !== 'ready' || !events.has('session_start') || hookTimes.has('session_start');
  for (let waitedMs = 0; waitedMs < START_HANDLERS_MS && !records.every(isOver); waitedMs += LOOK_MS) await sleep(LOOK_MS);
}

/** A copy: the end of the session takes everything out of the records. */
function describe(record: ExtensionRecord): ProbedExtension {
  const { spec, state, reason, lastStack, loadMs } = record;
  return {
    name: spec.name,
    path: spec.path,
    level: spec.level,
    source: spec.sourceInfo.source,
    state,
    reason,
    stack: lastStack,
    loadMs,
    tools: [...record.tools.keys()],
    commands: [...record.commands.keys()],
    flags: [...record.flags.keys()],
    events: [...record.events],
    providers: [...record.providers.keys()],
    declared: spec.declared ?? [],
  };
}

const DIALOGS: ReadonlySet<string> = new Set(['select', 'confirm', 'input', 'editor']);

/** By the record and the setting; no extension is asked. */
async function isProjectTrusted(env: NodeJS.ProcessEnv, cwd: string): Promise<boolean> {
  const agentDir = agentDirOf(env, cwd);
  const home = homeDir(env);
  const { settings } = loadSettings({ agentDir, cwd, projectTrusted: false });
  const places = { agentDir, cwd, home, pinnedPlaces: () => pinnedPlaces(cwd, home) };
  const decided = await decideProjectTrust({
    ...places,
    approve: false,
    noApprove: false,
    fallback: settings.defaultProjectTrust,
  });
  return decided.trusted;
}

async function ownProviders(env: NodeJS.ProcessEnv, cwd: string): Promise<ReadonlySet<string>> {
  const { openRegistry } = await import('../compose.js');
  return new Set((await openRegistry(env, cwd, () => undefined).all()).map(({ provider }) => provider));
}

function readUses(file: string): Used[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // Nothing was used, or nothing was to be written down.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`What the extension used can't be read: ${messageOf(error)}`, { cause: error });
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Used);
}
