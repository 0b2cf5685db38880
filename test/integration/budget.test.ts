import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../support/fake-llm/server.js';
import { createSandbox, fakeProviders, PiProcess, type Sandbox } from '../support/pi-process.js';

const PROBE = fileURLToPath(new URL('./fixtures/probe.mjs', import.meta.url));

/** What one process did. */
interface Counts {
  parses: number;
  /** Role -> for each message how often it was turned into JSON. */
  encodings: Record<string, number[]>;
  /** Event -> how often it was written to another process. */
  toHost: Record<string, number>;
  /** Modules of Node that were loaded. */
  builtins: string[];
}

let llm: FakeLlm;
let sandbox: Sandbox;

beforeEach(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({
    providers: fakeProviders(llm.url),
    settings: { compaction: { enabled: false } },
    files: {
      'notes.txt': 'alpha\n',
      'quiet.ts': `export default (pi: any) => { pi.on('agent_end', () => undefined); };`,
      'listens.ts': `export default (pi: any) => { pi.on('message_update', () => undefined); };`,
    },
  });
});
afterEach(async () => {
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

/** Runs the program under the probe; what the core's process did. */
async function counted(args: string[], use: (pi: PiProcess) => Promise<unknown>): Promise<Counts> {
  const file = path.join(sandbox.root, 'probe');
  const env = { NODE_OPTIONS: `--import=${PROBE}`, PROBE_FILE: file };
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', ...args], env);
  await use(pi);
  await pi.end();
  const mine = readdirSync(sandbox.root).find((name) => name === `probe.${pi.child.pid}`);
  if (!mine) throw new Error('The probe wrote nothing');
  return JSON.parse(readFileSync(path.join(sandbox.root, mine), 'utf8'));
}

const reply = (text: string) => ({ text, chunks: 50 });
const readNotes = { toolCalls: [{ id: 'a', name: 'read', args: { path: 'notes.txt' } }] };

/** A session of so many entries of which the last forty are sent to the model. */
function compactedSession(entries: number): string {
  const id = (at: number): string => at.toString(16).padStart(8, '0');
  const lines = Array.from({ length: entries }, (_, at) => {
    const head = { id: id(at), parentId: at === 0 ? null : id(at - 1), timestamp: new Date(at).toISOString() };
    return at === entries - 40
      ? { type: 'compaction', ...head, summary: 'All before.', firstKeptEntryId: id(at - 2), tokensBefore: 9 }
      : { type: 'message', ...head, message: { role: 'user', content: [{ type: 'text', text: `${at}` }], timestamp: at } };
  });
  const header = { type: 'session', version: 3, id: 'budget', timestamp: new Date(0).toISOString(), cwd: sandbox.cwd };
  const file = path.join(sandbox.cwd, `session-${entries}.jsonl`);
  writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

describe('what the program does not do', { timeout: 60_000 }, () => {
  it('load what the first answer of get_state does not need', async () => {
    const { builtins } = await counted(['--no-session'], (pi) => pi.request({ type: 'get_state' }));
    const needless = ['http', 'https', 'http2', 'tls', 'zlib', 'dns', 'readline', 'worker_threads', 'inspector', 'v8', 'sqlite'];
    expect(builtins).toContain('fs');
    expect(builtins.filter((name) => needless.includes(name))).toEqual([]);
  });

  it('walk the history outside the context for a prompt', async () => {
    const parsesWith = async (entries: number): Promise<number> => {
      llm.push(reply('Yes.'));
      const { parses } = await counted(['--session', compactedSession(entries)], (pi) => pi.prompt('Well?'));
      return parses;
    };
    const few = await parsesWith(200);
    expect(await parsesWith(5_000)).toBe(few);
    expect(few).toBeGreaterThan(0);
  });

  it('send an event to a process where nobody listens to it', async () => {
    llm.push(reply('One.'), reply('Two.'));
    const quiet = await counted(['--no-session', '-e', 'quiet.ts'], (pi) => pi.prompt('Well?'));
    expect(quiet.toHost).toEqual({ agent_end: 1 });
    const listening = await counted(['--no-session', '-e', 'listens.ts'], (pi) => pi.prompt('Well?'));
    expect(listening.toHost.message_update).toBeGreaterThan(0);
    expect(listening.toHost.agent_end).toBeUndefined();
  });

  it('encode a message twice: as an event, as an entry and at the end of a turn it is the same text', async () => {
    llm.push(readNotes, readNotes, reply('Done.'));
    const { encodings } = await counted([], (pi) => pi.prompt('Read it twice'));
    expect(Object.keys(encodings).sort()).toEqual(['assistant', 'toolResult', 'user']);
    expect(
      Object.values(encodings)
        .flat()
        .filter((times) => times > 1),
    ).toEqual([]);
  });
});
