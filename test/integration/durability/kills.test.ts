import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type FakeLlm, type FakeReply, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const KILLS = 200;
const LANES = 4;
/** A kill falls after one of this many records of a run: from before the first to after the last. */
const MOST_RECORDS = 80;

/** Repeatable choices: the seed is printed, so that a failure can be had again. */
function choices(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function reply(next: () => number, serial: number): FakeReply {
  if (next() < 0.3) return { text: `done ${serial} `.repeat(20), chunks: 8 };
  const calls = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, at) => ({
    id: `call_${serial}_${at}`,
    name: 'bash',
    args: { command: `echo out-${serial}-${at}` },
  }));
  return { thinking: 'hm', text: `working ${serial}`, toolCalls: calls, chunks: 5 };
}

/** Every tool call of a request has its result right after, and no result stands alone: else the provider refuses it for ever. */
function assertValid(body: Json): void {
  const messages: Json[] = body.messages;
  const blocks = (message: Json | undefined, type: string): Json[] =>
    Array.isArray(message?.content) ? message.content.filter((block: Json) => block.type === type) : [];
  for (const [at, message] of messages.entries()) {
    const asked = blocks(message, 'tool_use').map((block) => block.id);
    const answered = blocks(messages[at + 1], 'tool_result').map((block) => block.tool_use_id);
    if (asked.length > 0) expect(answered).toEqual(asked);
    for (const block of blocks(message, 'tool_result')) {
      expect(blocks(messages[at - 1], 'tool_use').map((call) => call.id)).toContain(block.tool_use_id);
    }
  }
}

/** Lines of a session file; a last one without LF is a record that was being written. */
function wholeLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.pop();
  return lines;
}

async function killOnce(sandbox: Sandbox, file: string, after: number, confirmed: Set<string>): Promise<void> {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', '--session', file]);
  const response = await pi.request({ type: 'prompt', message: `go ${after}` });
  expect(response).toMatchObject({ success: true });
  const from = pi.records.length;
  await pi.find((record) => pi.records.length - from >= after || record.type === 'agent_settled', from);
  pi.kill('SIGKILL');
  await pi.exited;
  expect(pi.badLines).toEqual([]);
  for (const record of pi.records) if (record.type === 'message_end') confirmed.add(JSON.stringify(record.message));
}

it('G24: 200 kills at random moments of streams and tool runs lose and damage nothing, and the next request is valid', async () => {
  const seed = Number(process.env.PI_TEST_SEED ?? Date.now() % 2 ** 31);
  const next = choices(seed);
  const llm: FakeLlm = await startFakeLlm();
  let serial = 0;
  const feed = (): void => {
    for (let i = 0; i < 40; i += 1) {
      serial += 1;
      llm.push(reply(next, serial));
    }
  };
  const sandbox = createSandbox({ providers: fakeProviders(llm.url) });
  let kills = 0;
  let records = 0;
  let torn = 0;
  const lane = async (at: number): Promise<void> => {
    const file = path.join(sandbox.cwd, `lane-${at}.jsonl`);
    const confirmed = new Set<string>();
    while (kills < KILLS) {
      kills += 1;
      feed();
      await killOnce(sandbox, file, Math.floor(next() * MOST_RECORDS), confirmed);
      const raw = existsSync(file) ? readFileSync(file, 'utf8') : '';
      if (raw !== '' && !raw.endsWith('\n')) torn += 1;
      const stored = new Set(wholeLines(file).map((line) => JSON.stringify((JSON.parse(line) as Json).message)));
      expect([...confirmed].filter((message) => !stored.has(message))).toEqual([]);
    }
    records += wholeLines(file).length;
  };
  try {
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
    for (const request of llm.requests) assertValid(request.body);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    console.log(
      `${kills} kills (seed ${seed}): ${records} records in ${LANES} files, 0 lost, 0 damaged, ${torn} torn tails, ${llm.requests.length} requests valid`,
    );
  } finally {
    sandbox.remove();
    await llm[Symbol.asyncDispose]();
  }
}, 240_000);
