import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DisposableStore } from '../../../core/base/disposable.js';
import { createLogger } from '../../../core/base/logger.js';
import type { LoadOutcome } from '../../../core/extension-host/contract/lifecycle.js';
import { BackOff } from '../../../core/extension-host/host/back-off.js';
import { ExtensionHost, type ExtensionHostOptions } from '../../../core/extension-host/host/extension-host.js';
import { toAgentTool } from '../../../core/extension-host/host/extension-tool.js';
import type { HostState } from '../../../core/extension-host/host/lifecycle.js';
import { askToolCallGate, type ToolCallVerdict } from '../../../core/extension-host/host/tool-call-gate.js';
import type { ToolResult } from '../../../core/protocol/tool.js';
// The build's own function: what is tested is what is shipped.
import { bundleExtensionHost } from '../../../scripts/bundle-extension-host.mjs';

export const isLinux = process.platform === 'linux';

/** A folder with the two bundles, for one test file. */
export async function bundledHost(store: DisposableStore): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-host-'));
  store.defer(() => rmSync(folder, { recursive: true, force: true }));
  await bundleExtensionHost(folder);
  return path.join(folder, 'host.js');
}

export interface LogRecord {
  message: string;
  extension?: string | null;
  stream?: string;
}

export interface TestHostOptions extends Partial<ExtensionHostOptions> {
  entry: string;
  /** Name -> source of an extension file. */
  extensions: Record<string, string>;
  entries?: string[];
}

/** A running extension host with its extensions loaded, and what it said. */
export class TestHost {
  readonly host: ExtensionHost;
  readonly log: LogRecord[] = [];
  readonly states: HostState[] = [];
  readonly ends: { reason: string; message: string; extension?: string }[] = [];
  readonly failures: { extension: string; message: string }[] = [];
  outcomes: readonly LoadOutcome[] = [];
  entryReads = 0;
  readonly #store = new DisposableStore();
  readonly #refs: { name: string; path: string }[];
  #wake: () => void = () => undefined;

  constructor(options: TestHostOptions) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-extensions-'));
    this.#store.defer(() => rmSync(folder, { recursive: true, force: true }));
    this.#refs = Object.entries(options.extensions).map(([name, source]) => {
      const file = path.join(folder, `${name}.mjs`);
      writeFileSync(file, source);
      return { name, path: file };
    });
    const { entries = [] } = options;
    this.host = this.#store.add(
      new ExtensionHost({
        sources: {
          entries: () => {
            this.entryReads++;
            return entries;
          },
        },
        log: createLogger({ room: 'extension-host', level: 'debug', write: (line) => this.#logged(JSON.parse(line)) }),
        cwd: folder,
        backOff: new BackOff(),
        // The machine may be busy: only the reactions are tested, not how fast they come.
        startMs: 60_000,
        onState: (state) => this.#note(() => this.states.push(state)),
        onUnexpectedEnd: (end) => this.#note(() => this.ends.push(end)),
        onToolsChanged: () => this.#note(() => undefined),
        onHookFailed: (failure) => this.#note(() => this.failures.push(failure)),
        onLoaded: (outcomes) =>
          this.#note(() => {
            this.outcomes = outcomes;
          }),
        ...options,
      }),
    );
  }

  async load(): Promise<this> {
    await this.host.load(this.#refs);
    return this;
  }

  /** Resolves as soon as `condition` holds; looked at whenever the host says anything. The test's own time limit ends it. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Asks the gates about a call of `read`. */
  gate(input: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolCallVerdict> {
    return askToolCallGate(this.host.bridge, { toolCallId: 'call-1', toolName: 'read', input }, signal);
  }

  /** Runs a tool of an extension as the agent would. */
  run(name: string, args: Record<string, unknown> = {}, options: { signal?: AbortSignal; updates?: ToolResult[] } = {}) {
    const bridge = this.host.bridge;
    const registered = bridge?.tools.find(({ definition }) => definition.name === name);
    if (!bridge || !registered) throw new Error(`No tool ${name}`);
    return toAgentTool(registered, bridge).execute(args, {
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

  #logged(record: LogRecord): void {
    this.#note(() => this.log.push(record));
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
