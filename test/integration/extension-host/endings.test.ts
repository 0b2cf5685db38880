import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';
import { isAlive } from './support.js';

/** What extensions leave behind or do when the program ends. */
const FILES = {
  'leaves.ts': `import { spawn } from 'node:child_process';
    export default (pi: any) => {
      pi.on('session_start', () => {
        setInterval(() => undefined, 100);
        const child = spawn('sleep', ['300'], { stdio: 'inherit' });
        process.stdin.resume();
        console.log('child ' + child.pid);
      });
    };`,
  'stalls.ts': `export default (pi: any) => { pi.on('session_shutdown', () => new Promise(() => undefined)); };`,
  'loops.ts': `export default (pi: any) => { pi.on('session_shutdown', () => { for (;;); }); };`,
  'asks.ts': `export default (pi: any) => {
    pi.on('session_shutdown', async (_event: any, ctx: any) => ctx.ui.notify('saved: ' + (await ctx.ui.confirm('Save?', ''))));
  };`,
  'last.ts': `export default (pi: any) => { pi.on('session_shutdown', () => console.log('the last one was told')); };`,
};

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = createSandbox({ files: FILES });
});
afterEach(() => sandbox.remove());

const withExtensions = (...names: string[]): string[] => [
  '--provider',
  'offline',
  '--no-session',
  ...names.flatMap((name) => ['-e', name]),
];

describe('the end of a one-shot run', { timeout: 60_000 }, () => {
  it('G9: waits for no timer, child or pipe that an extension left, and ends the child', async () => {
    const { code, stderr } = await runPi(sandbox, ['-p', ...withExtensions('leaves.ts'), 'hello']);
    expect(code).toBe(0);
    const pid = Number(/child (\d+)/.exec(stderr)?.[1]);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it.each(['stalls.ts', 'loops.ts'])(
    'G9: names the extension whose shutdown handler does not end, and tells the others: %s',
    async (file) => {
      const { code, stderr } = await runPi(sandbox, ['-p', ...withExtensions('last.ts', file), 'hello']);
      expect(code).toBe(0);
      expect(stderr).toMatch(new RegExp(`Extension \\S*${file}: session_shutdown: .*not waited for`));
      expect(stderr).toContain('the last one was told');
    },
  );

  it('G9: tells those that come after the one that does not end', async () => {
    const { stderr } = await runPi(sandbox, ['-p', ...withExtensions('stalls.ts', 'last.ts'), 'hello']);
    expect(stderr).toContain('the last one was told');
  });
});

describe('the end of a session in rpc mode', { timeout: 60_000 }, () => {
  const start = (...names: string[]): PiProcess => new PiProcess(sandbox, ['--mode', 'rpc', ...withExtensions(...names)]);

  it('G12: a shutdown handler that never ends does not keep a new session away', async () => {
    const pi = start('stalls.ts');
    expect(await pi.request({ type: 'new_session' })).toMatchObject({ success: true, data: { cancelled: false } });
    expect(await pi.find(({ type }) => type === 'extension_error')).toMatchObject({
      event: 'session_shutdown',
      code: 'DEADLINE_EXCEEDED',
      extensionPath: expect.stringContaining('stalls.ts'),
    });
    expect(await pi.end()).toMatchObject({ code: 0 });
  });

  it('G12: a shutdown handler that waits for a person may take any time', async () => {
    const pi = start('asks.ts', 'stalls.ts');
    pi.send({ type: 'new_session', id: 'new' });
    const { id } = await pi.find(({ method }) => method === 'confirm');
    // More than the half of five seconds that it has for itself.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    pi.send({ type: 'extension_ui_response', id, confirmed: true });
    expect(await pi.find(({ method }) => method === 'notify')).toMatchObject({ message: 'saved: true' });
    await pi.find((record) => record.id === 'new');
    await pi.end();
  });
});
