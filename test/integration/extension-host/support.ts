import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DisposableStore } from '../../../core/base/disposable.js';
import { createLogger } from '../../../core/base/logger.js';
import type { HostSettings } from '../../../core/extension-host/contract/settings.js';
import { NO_AGENT } from '../../../core/extension-host/contract/state-values.js';
import { Dialogs } from '../../../core/extension-host/host/dialogs.js';
import type { ExtensionRecord, ExtensionSpec } from '../../../core/extension-host/host/extension-record.js';
import { type ExtensionProblem, type ExtensionServices, Extensions } from '../../../core/extension-host/host/extensions.js';
import { Notices } from '../../../core/extension-host/host/notices.js';
import type { ToolResult } from '../../../core/protocol/tool.js';

export const isLinux = process.platform === 'linux';

/** What is shipped: `npm test` builds it. */
export const ENTRY = fileURLToPath(new URL('../../../dist/extension-host/host.js', import.meta.url));

export interface LogRecord {
  message: string;
  extension?: string | null;
  stream?: string;
}

export interface TestHostOptions {
  entry: string;
  /** Name -> source of an extension file. */
  extensions: Record<string, string>;
  entries?: string[];
  settings?: Partial<HostSettings>;
}

/** What a `tool_call` hook made of a call. */
export interface Verdict {
  input: unknown;
  blocked?: string;
}

/** Running extensions, with as much of a program around them as they need, and what they said. */
export class TestHost {
  readonly extensions: Extensions;
  readonly log: LogRecord[] = [];
  readonly problems: ExtensionProblem[] = [];
  entryReads = 0;
  readonly #store = new DisposableStore();
  readonly #specs: ExtensionSpec[];
  #wake: () => void = () => undefined;

  constructor(options: TestHostOptions) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-extensions-'));
    this.#store.defer(() => rmSync(folder, { recursive: true, force: true }));
    this.#specs = Object.entries(options.extensions).map(([name, source]) => {
      const file = path.join(folder, `${name}.mjs`);
      writeFileSync(file, source);
      const sourceInfo = { path: file, source: 'local', scope: 'user', origin: 'top-level' };
      return { name, path: file, level: 'trusted', sourceInfo };
    });
    const { entry, entries = [], settings } = options;
    const nothing = (): undefined => undefined;
    const asker = (name: string) => this.extensions.asker(name);
    this.extensions = this.#store.add(
      new Extensions({
        entry,
        cacheDir: path.join(folder, 'cache'),
        env: process.env,
        cwd: folder,
        log: createLogger({
          room: 'extension-host',
          level: 'debug',
          write: (line) => this.#note(() => this.log.push(JSON.parse(line))),
        }),
        ...(settings && { settings }),
        loadSettings: () => ({
          cwd: folder,
          mode: 'rpc',
          hasUI: true,
          projectTrusted: true,
          agentDir: folder,
          cliPath: '/nowhere/cli.js',
          version: '0.0.0',
          flags: [],
        }),
        sources: {
          entries: () => {
            this.entryReads++;
            return entries;
          },
          session: () => ({ id: 's', dir: folder, cwd: folder, leafId: null, header: {} }),
          agent: () => NO_AGENT,
          models: () => ({ all: [], available: [], providers: [] }),
          tools: () => [],
          commands: () => [],
          prompt: () => ({ text: '', options: {} }),
        },
        // None of these tests goes further than the boundary.
        services: {} as ExtensionServices,
        dialogs: new Dialogs({ send: nothing, canAsk: false, asker, onDeclined: nothing, onWaiting: nothing }),
        notices: new Notices({ send: nothing, canShow: false, asker, onDropped: nothing }),
        onError: (problem) => this.#note(() => this.problems.push(problem)),
        onDegraded: nothing,
        onChanged: () => this.#note(nothing),
        onProvider: nothing,
        onNoProvider: nothing,
        onBack: () => this.#note(nothing),
      } as ConstructorParameters<typeof Extensions>[0]),
    );
  }

  async load(): Promise<this> {
    await this.extensions.load(this.#specs);
    return this;
  }

  record(name: string): ExtensionRecord {
    return this.extensions.recordOf(name);
  }

  get toolNames(): string[] {
    return this.extensions.tools().tools.map(({ tool }) => tool.name);
  }

  get pid(): number | undefined {
    return this.extensions.fleet.pids[0];
  }

  /** Resolves as soon as `condition` holds; looked at whenever the host says anything. The test's own time limit ends it. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Asks the gates about a call of `read`. */
  async gate(input: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Verdict> {
    const answer = await this.extensions.hook({ type: 'tool_call', toolCallId: 'call-1', toolName: 'read', input }, signal);
    if (!answer) return { input };
    const { event, outcome } = answer;
    return { input: event.input, ...(outcome.block === true && { blocked: String(outcome.reason) }) };
  }

  /** Runs a tool of an extension as the agent would. */
  run(name: string, args: Record<string, unknown> = {}, options: { signal?: AbortSignal; updates?: ToolResult[] } = {}) {
    const offered = this.extensions.tools().tools.find(({ tool }) => tool.name === name);
    if (!offered) throw new Error(`No tool ${name}`);
    return offered.tool.execute(args, {
      toolCallId: 'call-2',
      signal: options.signal ?? new AbortController().signal,
      onUpdate: (partial) => this.#note(() => options.updates?.push(partial)),
    });
  }

  /** The text a tool answered. */
  async text(name: string, args?: Record<string, unknown>): Promise<string> {
    const [part] = (await this.run(name, args)).content;
    return part?.type === 'text' ? part.text : '';
  }

  dispose(): Promise<void> {
    return this.#store.dispose();
  }

  #note(what: () => void): void {
    what();
    const wake = this.#wake;
    this.#wake = () => undefined;
    // After the code that reported has gone on.
    setImmediate(wake);
  }
}

/** A tool whose `execute` is the given source of a function body; its answer is turned into text. */
export const toolSource = (name: string, body: string): string =>
  `pi.registerTool({ name: '${name}', description: 'test', parameters: { type: 'object' },
    execute: async (toolCallId, params, signal, onUpdate, ctx) => {
      const run = async () => { ${body} };
      return { content: [{ type: 'text', text: String(await run()) }] };
    } });`;

export const extension = (...statements: string[]): string => `export default async (pi) => { ${statements.join('\n')} };`;

/** True while a process of this id runs (a zombie counts as gone). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
