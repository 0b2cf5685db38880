import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

/** `/ask <source of options>` opens a dialog and shows the answer; `/both` opens two; `/die` opens one and ends its worker. */
const EXTENSION = `
export default (pi: any) => {
  const show = (ui: any, answer: unknown) => ui.notify('answer ' + JSON.stringify(answer ?? null));
  const aborts = new AbortController();
  pi.registerCommand('ask', { handler: async (args: string, { ui }: any) => {
    show(ui, await ui.input('Name?', 'yours', args ? JSON.parse(args) : undefined));
  } });
  pi.registerCommand('signal', { handler: async (_: string, { ui }: any) => {
    show(ui, await ui.select('Which?', ['a'], { signal: aborts.signal }));
  } });
  pi.registerCommand('withdraw', { handler: async () => aborts.abort() });
  pi.registerCommand('die', { handler: async (_: string, { ui }: any) => {
    setTimeout(() => process.exit(3), 50);
    await ui.confirm('Live?', '');
  } });
  pi.on('tool_call', async (_event: any, { ui }: any) => ((await ui.confirm('Allow?', '')) ? undefined : { block: true, reason: 'not allowed' }));
};`;

let sandbox: Sandbox;
let pi: PiProcess;

function start(settings: object = {}, ...args: string[]): void {
  sandbox = createSandbox({ settings, files: { 'asker.ts': EXTENSION, 'notes.txt': 'alpha\n' } });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline', '-e', 'asker.ts', ...args]);
}
afterEach(async () => {
  await pi.end();
  sandbox.remove();
});

const asked = (from = 0): Promise<Json> =>
  pi.find(({ type, method }) => type === 'extension_ui_request' && method !== 'notify', from);
const answered = async (from = 0): Promise<unknown> =>
  JSON.parse((await pi.find(({ method }) => method === 'notify', from)).message.slice('answer '.length));
const cancels = (): Json[] => pi.records.filter(({ type }) => type === 'extension_ui_cancel');
const pending = async (): Promise<Json[]> => (await pi.request({ type: 'get_state' })).data.pendingDialogs;

describe('a dialog', { timeout: 60_000 }, () => {
  it('G19: is settled by the first answer; another one, and one with a foreign id, change nothing', async () => {
    start();
    pi.send({ type: 'prompt', message: '/ask' });
    const { id, extension } = await asked();
    expect(await pending()).toEqual([{ id, method: 'input', title: 'Name?', extension }]);
    pi.send({ type: 'extension_ui_response', id: 'nobody', value: 'foreign' });
    pi.send({ type: 'extension_ui_response', id, value: 'first' });
    pi.send({ type: 'extension_ui_response', id, value: 'second' });
    expect(await answered()).toBe('first');
    expect(await pending()).toEqual([]);
    expect(cancels()).toEqual([]);
  });

  it('G19: whose time is over is withdrawn from the client, and a late answer has no effect', async () => {
    start();
    pi.send({ type: 'prompt', message: '/ask {"timeout":50}' });
    const { id, timeout } = await asked();
    expect(timeout).toBe(50);
    expect(await answered()).toBeNull();
    pi.send({ type: 'extension_ui_response', id, value: 'late' });
    expect(await pending()).toEqual([]);
    expect(cancels()).toEqual([{ type: 'extension_ui_cancel', id }]);
    expect(pi.records.filter(({ method }) => method === 'notify')).toHaveLength(1);
  });

  it('G19: that its extension withdraws is withdrawn from the client', async () => {
    start();
    pi.send({ type: 'prompt', message: '/signal' });
    const { id } = await asked();
    pi.send({ type: 'prompt', message: '/withdraw' });
    expect(await answered()).toBeNull();
    expect(cancels()).toEqual([{ type: 'extension_ui_cancel', id }]);
  });

  it('G19: whose worker is gone is withdrawn from the client', async () => {
    start();
    pi.send({ type: 'prompt', message: '/die' });
    const { id } = await asked();
    await pi.find(({ type }) => type === 'extension_ui_cancel');
    expect(cancels()).toEqual([{ type: 'extension_ui_cancel', id }]);
    expect(await pending()).toEqual([]);
  });

  it('G19: that a run waits for is withdrawn when the run is aborted, and the call is refused', async () => {
    start();
    pi.send({ type: 'prompt', message: 'read notes.txt' });
    const { id } = await asked();
    expect(await pending()).toMatchObject([{ id, method: 'confirm' }]);
    await pi.request({ type: 'abort' });
    await pi.find(({ type }) => type === 'agent_settled');
    await pi.find(({ type }) => type === 'extension_ui_cancel');
    expect(await pending()).toEqual([]);
    expect(cancels()).toEqual([{ type: 'extension_ui_cancel', id }]);
  });

  it('G10: waits no longer than dialogTimeoutMs says, where it names no time of its own', async () => {
    start({ dialogTimeoutMs: 100 });
    const events = await pi.prompt('read notes.txt');
    expect(cancels()).toHaveLength(1);
    expect(events.find(({ type }) => type === 'tool_execution_end')).toMatchObject({ isError: true });
    expect(JSON.stringify(events)).toContain('not allowed');
  });

  it('G10: is declined at once with --no-dialogs, and stderr says so', async () => {
    start({}, '--no-dialogs');
    const events = await pi.prompt('read notes.txt');
    expect(JSON.stringify(events)).toContain('not allowed');
    expect(pi.records.filter(({ type }) => type === 'extension_ui_request')).toEqual([]);
    await pi.end();
    expect(pi.stderr).toMatch(/The extension asker asked with ctx\.ui\.confirm, and nobody can answer/);
  });

  it('G10: gets its default when the input ends', async () => {
    start();
    pi.send({ type: 'prompt', message: '/ask' });
    await asked();
    expect(await pi.end()).toMatchObject({ code: 0 });
  });
});
