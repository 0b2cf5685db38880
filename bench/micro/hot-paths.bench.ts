import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, bench, describe } from 'vitest';
import { encodeLine, LineReader } from '../../core/base/jsonl.js';
import { RecordQueue } from '../../core/modes/output/record-queue.js';
import type { AgentMessage } from '../../core/protocol/messages.js';
import { fillTemplate, splitArguments } from '../../core/resources/template-grammar.js';
import { createSession } from '../../core/session/session.js';
import { toModelMessages } from '../../core/session/to-model-messages.js';
import { TestHost } from '../../test/integration/extension-host/support.js';
import { MODEL } from '../../test/support/scripted-agent.js';

// node_modules/.bin/vitest bench --run bench/micro: operations a second of what is done most often. Compare within one run only.

const HOST = fileURLToPath(new URL('../../dist/extension-host/host.js', import.meta.url));
const text = 'lorem ipsum dolor sit amet '.repeat(12);
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const user = (at: number) =>
  ({ role: 'user', content: [{ type: 'text', text: `${at} ${text}` }], timestamp: at }) as AgentMessage;
const assistant = (at: number) =>
  ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: 'x',
    provider: 'p',
    model: 'm',
    usage,
    stopReason: 'stop',
    timestamp: at,
  }) as AgentMessage;
const conversation = (length: number): AgentMessage[] =>
  Array.from({ length }, (_, at) => (at % 2 === 0 ? user(at) : assistant(at)));

describe('lines of JSON', () => {
  const record = { type: 'message_end', message: user(1) };
  const bytes = Buffer.from(Array.from({ length: 1_000 }, () => encodeLine(record)).join(''));
  bench('write a record', () => void encodeLine(record));
  bench('cut 1 000 records out of a stream', () => {
    const reader = new LineReader({ maxBytes: 1 << 20, onLine: () => undefined, onTooLong: () => undefined });
    for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536));
  });
});

describe('what goes out', () => {
  bench('1 000 deltas that wait together', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    for (let at = 0; at < 1_000; at++) {
      const assistantMessageEvent = { type: 'text_delta', contentIndex: 0, delta: 'word ' };
      queue.push({ type: 'message_update', assistantMessageEvent } as Parameters<RecordQueue['push']>[0]);
    }
    queue.take();
  });
});

describe('a conversation', () => {
  const messages = conversation(1_000);
  toModelMessages(messages, MODEL);
  bench('1 000 messages as a request, for the first time', () => void toModelMessages(conversation(1_000), MODEL));
  bench('the same again, one message longer', () => void toModelMessages([...messages, user(1_000)], MODEL));
});

describe('a session file', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-micro-'));
  const session = createSession({ cwd: folder, sessionDir: folder });
  afterAll(() => {
    session.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  let at = 0;
  bench('append an entry', () => void session.append({ type: 'message', message: user(++at) }));
});

describe('templates', () => {
  const body = `Do $1 with ${'$'}{2:-nothing}.\n${text}\nAll: $ARGUMENTS`.repeat(5);
  bench('split arguments and fill a template', () => void fillTemplate(body, splitArguments('one "two words" three')));
});

// Before the benchmarks are collected: their hooks do not wait for what is slow.
const listener = `export default (pi) => { let n = 0; pi.on('message_update', () => { n++; }); pi.on('tool_call', (event) => { event.input.seen = true; }); };`;
const host = await new TestHost({ entry: HOST, extensions: { a: listener, b: listener } }).load();
process.once('exit', () => host.extensions.kill());

describe('extensions', () => {
  bench('a hook there and back, two handlers', async () => void (await host.gate({ path: 'x' })));
  bench('1 000 events to two listeners, until they have arrived', async () => {
    for (let at = 0; at < 1_000; at++)
      host.extensions.emit({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'word ' },
      });
    await host.gate({});
  });
});
