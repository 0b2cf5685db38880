import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

let llm: FakeLlm;
let sandbox: Sandbox;
let pi: PiProcess;

beforeEach(async () => {
  llm = await startFakeLlm({ text: 'one' }, { text: 'two' });
  sandbox = createSandbox({ providers: fakeProviders(llm.url) });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain']);
  await pi.prompt('first question');
  await pi.prompt('second question');
});
afterEach(async () => {
  await pi.end();
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

async function entries(): Promise<Json[]> {
  return (await pi.request({ type: 'get_entries' })).data.entries;
}
const texts = async (): Promise<string[]> =>
  (await pi.request({ type: 'get_messages' })).data.messages.map((message: Json) => message.summary ?? message.content[0].text);
const userEntry = async (text: string): Promise<Json> =>
  (await entries()).find((entry) => entry.message?.content?.[0]?.text === text);

describe('navigate_tree', () => {
  it('goes to before a user message and gives its text back', async () => {
    const target = await userEntry('second question');
    const { data } = await pi.request({ type: 'navigate_tree', entryId: target.id });
    expect(data).toEqual({ cancelled: false, leafId: target.parentId, editorText: 'second question' });
    expect(await texts()).toEqual(['first question', 'one']);
    llm.push({ text: 'other' });
    await pi.prompt('another question');
    expect(await texts()).toEqual(['first question', 'one', 'another question', 'other']);
    expect(await entries()).toContainEqual(target);
  });

  it('tells the new branch what the old one was about, and counts what that cost', async () => {
    llm.push({ text: 'WHAT WAS TRIED', usage: { input: 100, output: 10 } });
    const before = (await pi.request({ type: 'get_session_stats' })).data.tokens.input;
    const target = await userEntry('second question');
    const { data } = await pi.request({
      type: 'navigate_tree',
      entryId: target.parentId,
      summarize: true,
      customInstructions: 'ZEBRAS',
      label: 'here',
    });
    expect(data.summaryEntry).toMatchObject({
      type: 'branch_summary',
      summary: expect.stringContaining('WHAT WAS TRIED'),
      parentId: target.parentId,
    });
    const asked = llm.requests.at(-1)?.raw ?? '';
    expect(asked).toContain('second question');
    expect(asked).not.toContain('first question');
    expect(asked).toContain('ZEBRAS');
    expect(await texts()).toEqual(['first question', 'one', expect.stringContaining('WHAT WAS TRIED')]);
    expect((await pi.request({ type: 'get_session_stats' })).data.tokens.input).toBe(before + 100);
    const { tree } = (await pi.request({ type: 'get_tree' })).data;
    expect(JSON.stringify(tree)).toContain('"label":"here"');
  });

  it('moves nothing when the summary fails, and says why', async () => {
    llm.push({ status: 400 });
    const before = await entries();
    const target = await userEntry('first question');
    expect(await pi.request({ type: 'navigate_tree', entryId: target.id, summarize: true })).toMatchObject({
      success: false,
      code: 'SUMMARY_FAILED',
    });
    expect(await entries()).toEqual(before);
    expect(await texts()).toHaveLength(4);
  });

  it('refuses an unknown entry, and to move while a run is on', async () => {
    expect(await pi.request({ type: 'navigate_tree', entryId: 'nope' })).toMatchObject({
      success: false,
      code: 'SESSION_ENTRY_NOT_FOUND',
    });
    const target = await userEntry('first question');
    llm.push({ text: 'slow', hang: true });
    await pi.request({ type: 'prompt', message: 'third' });
    expect(await pi.request({ type: 'navigate_tree', entryId: target.id })).toMatchObject({ success: false, code: 'AGENT_BUSY' });
    await pi.request({ type: 'abort' });
  });

  it('is ended by an abort while the summary is written', async () => {
    llm.push({ text: 'slow', hang: true });
    const target = await userEntry('second question');
    pi.send({ id: 'nav', type: 'navigate_tree', entryId: target.id, summarize: true });
    await llm.request(2);
    expect(await pi.request({ type: 'prompt', message: 'no' })).toMatchObject({ success: false, code: 'COMPACTING' });
    await pi.request({ type: 'abort' });
    expect(await pi.find((record) => record.id === 'nav')).toMatchObject({ success: false, code: 'ABORTED' });
    expect(await texts()).toHaveLength(4);
  });
});

/** The texts of entries that the tree shows with a label. */
async function labelled(): Promise<string[]> {
  const found: string[] = [];
  const visit = (node: Json): void => {
    if (node.label !== undefined) found.push(node.entry.message.content[0].text);
    for (const child of node.children) visit(child);
  };
  for (const root of (await pi.request({ type: 'get_tree' })).data.tree) visit(root);
  return found;
}

describe('set_label', () => {
  it('labels an entry and takes the label off, told as entries', async () => {
    const target = await userEntry('first question');
    const from = pi.records.length;
    await pi.request({ type: 'set_label', entryId: target.id, label: 'start' });
    expect(pi.records.slice(from)[0]).toMatchObject({
      type: 'entry_appended',
      entry: { type: 'label', targetId: target.id, label: 'start' },
    });
    expect(await labelled()).toEqual(['first question']);
    await pi.request({ type: 'set_label', entryId: target.id });
    expect(await labelled()).toEqual([]);
    expect(await pi.request({ type: 'set_label', entryId: 'nope', label: 'x' })).toMatchObject({
      success: false,
      code: 'SESSION_ENTRY_NOT_FOUND',
    });
  });
});

describe('list_sessions', () => {
  it('lists the sessions of this directory, newest first', async () => {
    const { sessionFile, sessionId } = (await pi.request({ type: 'get_state' })).data;
    await pi.request({ type: 'set_session_name', name: 'talk' });
    const { sessions } = (await pi.request({ type: 'list_sessions' })).data;
    expect(sessions).toMatchObject([
      { path: sessionFile, id: sessionId, name: 'talk', messages: 4, firstMessage: 'first question' },
    ]);
  });
});
