import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../extension-host/support.js';

// What authors import: the built kit, by the program's own name.
const kit: typeof import('../../../core/testing/public.js') = await import('pi-platform/testing' as string);
const { createTestSession, startTestProcess } = kit;

const SOURCE = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.registerFlag('greeting', { type: 'string', default: 'Hello' });
  pi.registerCommand('ask', { description: 'Asks', handler: async (_args, ctx) => {
    const name = await ctx.ui.input('Who?', 'a name');
    const colour = name && (await ctx.ui.select('Colour?', ['red', 'blue']));
    if (!colour || !(await ctx.ui.confirm('Sure?', name + ' ' + colour))) return ctx.ui.notify('never mind', 'warning');
    pi.appendEntry('asked', { name, colour });
    ctx.ui.notify(pi.getFlag('greeting') + ' ' + name);
  } });
  pi.registerCommand('fail', { handler: () => { throw new Error('on purpose'); } });
  pi.registerTool({ name: 'add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    execute: async (_id: string, { a, b }: { a: number; b: number }) => {
      if (a < 0) throw new Error('too small');
      return { content: [{ type: 'text', text: String(a + b) }], details: { sum: a + b } };
    } });
  pi.on('tool_call', (event) => event.toolName === 'bash' ? { block: true, reason: 'no shell' } : undefined);
}`;

let folder: string;
let extension: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pi-kit-'));
  extension = path.join(folder, 'e.ts');
  writeFileSync(extension, SOURCE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['in this process', createTestSession],
  ['in a process of its own', startTestProcess],
])('a session of the kit %s', (_where, start) => {
  it('answers dialogs from the script, and shows what was asked, said and kept', async () => {
    await using session = await start({
      extension,
      dialogs: ['Ada', { title: /^Colour/, answer: 'blue' }, true],
      flags: { greeting: 'Hi' },
    });
    expect(await session.prompt('/ask')).toMatchObject({ disposition: 'handled', text: '', tools: [] });
    expect(session.dialogs).toMatchObject([
      { method: 'input', title: 'Who?', placeholder: 'a name', extension: 'e', answer: 'Ada', scripted: true },
      { method: 'select', title: 'Colour?', options: ['red', 'blue'], answer: 'blue' },
      { method: 'confirm', title: 'Sure?', message: 'Ada blue', answer: true },
    ]);
    await session.until(() => session.notices.length > 0);
    expect(session.notices).toEqual([{ method: 'notify', message: 'Hi Ada' }]);
    expect(await session.entries()).toContainEqual(
      expect.objectContaining({ type: 'custom', customType: 'asked', data: { name: 'Ada', colour: 'blue' } }),
    );
    expect(session.requests).toEqual([]);
  });

  it('dismisses a dialog that the script has nothing for, and leaves open what it says', async () => {
    await using session = await start({ extension });
    await session.prompt('/ask');
    expect(session.dialogs).toMatchObject([{ answer: null, scripted: false }]);
    session.script({ dialogs: [{ method: 'input', unanswered: true }] });
    const asked = session.prompt('/ask');
    const dialog = await session.until(() => session.dialogs[1]);
    expect(dialog.answer).toBeUndefined();
    session.answer(dialog, null);
    await asked;
    expect(session.dialogs).toHaveLength(2);
  });

  it('tells the test of an answer that its dialog can not have', async () => {
    await using session = await start({ extension, dialogs: [{ method: 'input', answer: true }] });
    await expect(session.prompt('/ask')).rejects.toThrow("can't be answered with true");
  });

  it('runs tools and gates as a model calls them, and sees what the model was sent', async () => {
    await using session = await start({
      extension,
      model: [{ toolCalls: [{ name: 'bash', args: { command: 'true' } }] }, 'as you wish'],
    });
    const outcome = await session.prompt('do it');
    expect(outcome).toMatchObject({ text: 'as you wish', stopReason: 'stop', tools: [{ name: 'bash', isError: true }] });
    expect(outcome.tools[0]?.text).toContain('no shell');
    expect(await session.callTool('add', { a: 2, b: 3 })).toEqual({
      name: 'add',
      text: '5',
      isError: false,
      details: { sum: 5 },
    });
    expect(await session.callTool('add', { a: -1, b: 0 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('too small'),
    });
    expect(JSON.stringify(session.requests[0]?.body)).toContain('do it');
    expect(await session.tools()).toContainEqual(expect.objectContaining({ name: 'add', active: true }));
    expect(await session.commands()).toContainEqual(expect.objectContaining({ name: 'ask', source: 'extension' }));
  });

  it('reports what the extension does wrong', async () => {
    await using session = await start({ extension });
    await session.prompt('/fail');
    expect(session.errors).toMatchObject([{ event: 'command', error: expect.stringContaining('on purpose') }]);
  });

  it('a model that refuses, breaks off, sends nonsense, is slow or hangs', async () => {
    await using session = await start({ extension, settings: { retry: { enabled: false } } });
    session.script({ model: [{ status: 400, body: { error: { message: 'bad idea' } } }] });
    expect(await session.prompt('a')).toMatchObject({ stopReason: 'error', errorMessage: expect.stringContaining('bad idea') });
    session.script({ model: [{ text: 'half an answer', dropMidStream: true }] });
    expect(await session.prompt('b')).toMatchObject({ stopReason: 'error' });
    session.script({ model: [{ text: 'slowly', delayMs: 5, pauseMs: 5 }] });
    expect(await session.prompt('c')).toMatchObject({ stopReason: 'stop', text: 'slowly' });
    session.script({ model: [{ text: 'never', hang: true }] });
    await session.begin('d');
    await session.until(() => session.events.some(({ type }) => type === 'message_update'));
    await session.abort();
    await session.settled();
    expect(session.events.findLast(({ type }) => type === 'agent_settled')).toMatchObject({ aborted: true });
  });

  it('a killed extension is started again, and works', async () => {
    await using session = await start({ extension });
    await session.killExtensions();
    expect(session.errors[0]).toMatchObject({ code: 'HOST_EXITED' });
    expect(await session.callTool('add', { a: 1, b: 1 })).toMatchObject({ text: '2' });
    expect(await session.extensions()).toMatchObject([{ name: 'e', state: 'ready', restarts: 1 }]);
  });

  it('a reload has the extension as it is now, and a new session is empty', async () => {
    const changing = path.join(folder, 'changing.ts');
    const version = (text: string): void =>
      writeFileSync(
        changing,
        `export default (pi) => pi.registerCommand('v', { handler: (_a, ctx) => ctx.ui.notify('${text}') });`,
      );
    version('one');
    await using session = await start({ extension: changing, model: ['yes'] });
    await session.prompt('keep this');
    version('two');
    await session.reload();
    await session.prompt('/v');
    expect(await session.until(() => session.notices[0])).toMatchObject({ message: 'two' });
    await session.newSession();
    expect((await session.entries()).filter(({ type }) => type === 'message')).toEqual([]);
  });

  it('begins with files and settings of the test, and nobody to answer if it says so', async () => {
    await using session = await start({ extension, files: { 'a/b.txt': 'here' }, noDialogs: true });
    await session.prompt('/ask');
    expect(session.dialogs).toEqual([]);
    expect(await session.callTool('read', { path: 'a/b.txt' })).toMatchObject({
      isError: false,
      text: expect.stringContaining('here'),
    });
  });

  it('leaves no process and no file behind', async () => {
    const session = await start({ extension, dialogs: [{ unanswered: true }], model: [{ hang: true }] });
    const pids = (await session.extensions()).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    expect(pids.length).toBeGreaterThan(0);
    await session.begin('hang on');
    void session.prompt('/ask').catch(() => undefined);
    await session.until(() => session.dialogs[0]);
    await session.dispose();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(session.home)).toBe(false);
    await session.dispose();
  });

  it('rejects when the extension does not load, and says why', async () => {
    const broken = path.join(folder, 'broken.ts');
    writeFileSync(broken, 'export default () => { throw new Error("not today"); };');
    await expect(start({ extension: broken })).rejects.toThrow('not today');
    await expect(start({ extension: path.join(folder, 'missing.ts') })).rejects.toThrow('There is no extension at');
  });
});

describe('a process of the kit', () => {
  it('answers commands, takes bytes as they are, and ends with its input', async () => {
    await using pi = await startTestProcess({ extension });
    expect(await pi.request({ type: 'get_state' })).toMatchObject({ success: true });
    expect(await pi.request({ type: 'fly' })).toMatchObject({ success: false });
    pi.write('no json\n');
    pi.closeInput();
    expect(await pi.exited).toEqual({ code: 0, signal: null });
    expect(pi.badLines).toEqual([]);
  });

  it('that is killed fails what waits for it', async () => {
    await using pi = await startTestProcess({ extension, model: [{ hang: 'start' }] });
    await pi.begin('wait');
    await pi.until(() => pi.events.some(({ type }) => type === 'agent_start'));
    const waiting = pi.request({ type: 'bash', command: 'sleep 60' });
    pi.kill();
    await expect(waiting).rejects.toThrow('The process is gone');
    await expect(pi.settled()).rejects.toThrow('The process is gone');
    expect(await pi.exited).toMatchObject({ signal: 'SIGKILL' });
  });
});
