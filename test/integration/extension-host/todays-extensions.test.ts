import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const EXTENSION = `
export default (pi: any) => {
  const seen: string[] = [];
  const stop = pi.on('agent_end', () => { seen.push('end'); stop(); });
  pi.on('input', (event: any) => {
    seen.push(event.source + ' ' + (event.streamingBehavior ?? 'now') + ': ' + event.text);
    if (event.text === 'change me') return { action: 'transform', text: 'read notes.txt' };
    if (event.text === 'mine') return { action: 'handled' };
  });
  pi.registerCommand('seen', { description: 'What was seen', handler: async (_: string, { ui }: any) => ui.notify(JSON.stringify(seen)) });
};`;

let sandbox: Sandbox;
let pi: PiProcess;

beforeEach(() => {
  sandbox = createSandbox({ files: { 'seer.ts': EXTENSION, 'notes.txt': 'alpha\n' } });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline', '-e', 'seer.ts']);
});
afterEach(async () => {
  await pi.end();
  sandbox.remove();
});

async function seen(): Promise<string[]> {
  await pi.request({ type: 'prompt', message: '/seen' });
  return JSON.parse((await pi.find(({ method }) => method === 'notify')).message);
}

describe('what extensions of today use', { timeout: 60_000 }, () => {
  it('G39: pi.on gives the way to stop listening', async () => {
    await pi.prompt('hello');
    await pi.prompt('hello');
    expect((await seen()).filter((what) => what === 'end')).toHaveLength(1);
  });

  it('G39: input handlers see, change and take what is steered or queued, and the response says so', async () => {
    await pi.request({ type: 'prompt', message: 'run "sleep 0.5"' });
    const [steer, followUp] = await Promise.all([
      pi.request({ type: 'steer', message: 'change me' }),
      pi.request({ type: 'follow_up', message: 'mine' }),
    ]);
    expect([steer.data, followUp.data]).toEqual([{ disposition: 'queued' }, { disposition: 'handled' }]);
    await pi.find(({ type }) => type === 'agent_settled');
    const { data } = await pi.request({ type: 'get_messages' });
    const said = data.messages.filter(({ role }: Json) => role === 'user').map(({ content }: Json) => content[0].text);
    expect(said).toEqual(['run "sleep 0.5"', 'read notes.txt']);
    expect(await seen()).toEqual(
      expect.arrayContaining([expect.stringContaining(': change me'), expect.stringContaining(': mine')]),
    );
  });

  it('G39: get_commands says where a command comes from', async () => {
    const { data } = await pi.request({ type: 'get_commands' });
    const file = path.join(sandbox.cwd, 'seer.ts');
    expect(data.commands).toMatchObject([
      { name: 'seen', source: 'extension', path: file, sourceInfo: { path: file, scope: 'temporary', origin: 'top-level' } },
    ]);
  });
});
