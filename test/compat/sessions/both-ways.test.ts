import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';
import { referencePi } from '../../support/reference-pi.js';

const VERSION = '0.84.0';
const reference = referencePi(VERSION);
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SETTINGS = { retry: { baseDelayMs: 10 }, compaction: { keepRecentTokens: 300 } };

let llm: FakeLlm;
let sandbox: Sandbox;

const start = (program: readonly string[] | undefined, args: string[]): PiProcess =>
  new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'thinker', ...args], {}, program);

/** A conversation with something of everything. Gives the session file. */
async function converse(pi: PiProcess): Promise<string> {
  llm.push(
    { thinking: 'let me see', text: 'looking', toolCalls: [{ id: 'call_1', name: 'bash', args: { command: 'echo found-it' } }] },
    { text: 'found' },
  );
  await pi.prompt('what is here?');
  await pi.request({ type: 'set_session_name', name: 'both ways' });
  await pi.request({ type: 'bash', command: 'echo by-hand' });
  llm.push({ text: 'an image, I see' });
  await pi.prompt('look', { images: [{ type: 'image', data: PNG, mimeType: 'image/png' }] });
  await pi.request({ type: 'set_thinking_level', level: 'low' });
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  llm.push({ status: 529, body: overloaded }, { text: 'after a retry' });
  await pi.prompt('again');
  llm.push({ text: 'partial answer', chunks: 1, hang: true });
  await pi.request({ type: 'prompt', message: 'stop me' });
  await pi.find(
    (record) => record.assistantMessageEvent?.type === 'text_delta' && record.assistantMessageEvent.delta.includes('partial'),
  );
  await pi.request({ type: 'abort' });
  llm.push({ text: 'x'.repeat(1500) });
  await pi.prompt(`a long question ${'y'.repeat(1500)}`);
  llm.push({ text: 'SUMMARY' }, { text: 'PREFIX' });
  expect(await pi.request({ type: 'compact' })).toMatchObject({ success: true });
  await pi.request({ type: 'set_model', provider: 'fakechat', modelId: 'plain' });
  llm.push({ text: 'by another dialect' });
  await pi.prompt('and now?');
  return (await pi.request({ type: 'get_state' })).data.sessionFile;
}

async function seenBy(pi: PiProcess): Promise<{ entries: Json[]; messages: Json[]; stats: Json; leafId: string }> {
  const { entries, leafId } = (await pi.request({ type: 'get_entries' })).data;
  const { messages } = (await pi.request({ type: 'get_messages' })).data;
  const { data: stats } = await pi.request({ type: 'get_session_stats' });
  return { entries, messages, stats, leafId };
}
const outline = (messages: Json[]): string[] =>
  messages.map(
    ({ role, stopReason, content, summary, command }) =>
      `${role} ${stopReason ?? ''} ${summary ?? command ?? JSON.stringify(content)}`,
  );

beforeAll(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({ providers: fakeProviders(llm.url), settings: SETTINGS });
});
afterAll(async () => {
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

describe.skipIf(reference === undefined)(`sessions of ${VERSION}`, () => {
  it('made there: seen the same here, continued here, and continued there again', async () => {
    const there = start(reference, []);
    const file = await converse(there);
    const before = await seenBy(there);
    await there.end();

    const here = start(undefined, ['--session', file, '--provider', 'fakechat', '--model', 'plain']);
    const mine = await seenBy(here);
    expect(mine.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(outline(mine.messages)).toEqual(outline(before.messages));
    for (const key of ['userMessages', 'assistantMessages', 'toolCalls', 'toolResults', 'tokens'])
      expect([key, mine.stats[key]]).toEqual([key, before.stats[key]]);
    expect(mine.stats.cost).toBeCloseTo(before.stats.cost, 9);
    llm.push(
      { text: 'continued here', toolCalls: [{ id: 'call_2', name: 'bash', args: { command: 'echo more' } }] },
      { text: 'done here' },
    );
    await here.prompt('go on here');
    const after = await seenBy(here);
    await here.end();

    const again = start(reference, ['--session', file, '--provider', 'fakechat', '--model', 'plain']);
    const theirs = await seenBy(again);
    expect(theirs.entries.slice(0, after.entries.length)).toEqual(after.entries);
    expect(outline(theirs.messages)).toEqual(outline(after.messages));
    llm.push({ text: 'continued there' });
    await again.prompt('go on there');
    expect((await again.request({ type: 'get_last_assistant_text' })).data.text).toBe('continued there');
    await again.end();
  }, 120_000);

  it('made here: seen the same there, continued there, and continued here again', async () => {
    const here = start(undefined, []);
    const file = await converse(here);
    const before = await seenBy(here);
    await here.end();

    const there = start(reference, ['--session', file, '--provider', 'fakechat', '--model', 'plain']);
    const theirs = await seenBy(there);
    expect(theirs.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(outline(theirs.messages)).toEqual(outline(before.messages));
    for (const key of ['userMessages', 'assistantMessages', 'toolCalls', 'toolResults', 'tokens'])
      expect([key, theirs.stats[key]]).toEqual([key, before.stats[key]]);
    llm.push({ text: 'continued there' });
    await there.prompt('go on there');
    const after = await seenBy(there);
    await there.end();

    const again = start(undefined, ['--session', file, '--provider', 'fakechat', '--model', 'plain']);
    const mine = await seenBy(again);
    expect(mine.entries.slice(0, after.entries.length)).toEqual(after.entries);
    expect(outline(mine.messages)).toEqual(outline(after.messages));
    await again.end();
  }, 120_000);

  it('forked and cloned there: opened here with what they kept', async () => {
    const there = start(reference, []);
    llm.push({ text: 'one' }, { text: 'two' });
    await there.prompt('first');
    await there.prompt('second');
    const { messages } = (await there.request({ type: 'get_fork_messages' })).data;
    await there.request({ type: 'clone' });
    const clone = await seenBy(there);
    const cloneFile = (await there.request({ type: 'get_state' })).data.sessionFile;
    await there.request({ type: 'fork', entryId: messages[1].entryId });
    llm.push({ text: 'other two' });
    await there.prompt('another second');
    const fork = await seenBy(there);
    const forkFile = (await there.request({ type: 'get_state' })).data.sessionFile;
    await there.end();
    for (const [file, wanted] of [
      [cloneFile, clone],
      [forkFile, fork],
    ] as const) {
      const here = start(undefined, ['--session', file]);
      expect(outline((await seenBy(here)).messages)).toEqual(outline(wanted.messages));
      await here.end();
    }
  }, 120_000);
});

it.runIf(reference === undefined)(`skipped: ${VERSION} could not be installed from the package registry`, () => {
  console.log(`the sessions of ${VERSION} were not compared`);
});
