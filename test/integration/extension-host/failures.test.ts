import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DisposableStore } from '../../../core/base/disposable.js';
import { bundledHost, extension, isAlive, isLinux, TestHost, type TestHostOptions, toolSource } from './support.js';

const suite = new DisposableStore();
let entry = '';
let running: TestHost | undefined;

beforeAll(async () => {
  entry = await bundledHost(suite);
});
afterAll(() => suite.dispose());
afterEach(() => running?.dispose());

const neighbour = extension(toolSource('alive', `return 'alive';`), toolSource('pid', 'return process.pid;'));

async function start(attacker: string, options: Partial<TestHostOptions> = {}): Promise<TestHost> {
  running = new TestHost({ entry, extensions: { attacker, neighbour }, ...options });
  await running.load();
  return running;
}

/** Runs the attack as a tool; it must fail with `code`, end with a reason, and all must be back afterwards. */
async function survives(host: TestHost, code: string | RegExp): Promise<TestHost['ends'][number] | undefined> {
  const pending = host.run('attack').then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );
  expect(await pending).toMatch(code);
  await host.until(() => host.ends.length === 1 && host.host.state === 'ready');
  await expect(host.text('alive')).resolves.toBe('alive');
  return host.ends[0];
}

const attack = (body: string): string => extension(toolSource('attack', body));
const anyExit = /^(WORKER|HOST)_EXITED$/;

describe('G12: the core survives', { timeout: 60_000 }, () => {
  it('process.exit in an extension', async () => {
    const end = await survives(await start(attack('process.exit(3);')), 'WORKER_EXITED');
    expect(end).toMatchObject({ reason: 'exit', extension: 'attacker' });
  });

  it('an error nobody caught, in a timer', async () => {
    const end = await survives(
      await start(attack(`setTimeout(() => { throw new Error('late'); }, 1); await new Promise(() => {});`)),
      'WORKER_EXITED',
    );
    expect(end).toMatchObject({ reason: 'error', message: 'late' });
  });

  it('a rejection nobody handled', async () => {
    const end = await survives(
      await start(attack(`Promise.reject(new Error('unhandled')); await new Promise(() => {});`)),
      'WORKER_EXITED',
    );
    expect(end).toMatchObject({ reason: 'error', message: 'unhandled' });
  });

  it('an endless loop, and names who loops', async () => {
    const host = await start(attack('for (;;);'), { settings: { burningMs: 1_500, slowMs: 250 } });
    const end = await survives(host, 'WORKER_EXITED');
    expect(end).toMatchObject({ reason: isLinux ? 'busy' : 'blocked', extension: 'attacker' });
  });

  it('a thread that waits for ever', async () => {
    const body = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const end = await survives(await start(attack(body), { settings: { burningMs: 1_500, blockedMs: 1_500 } }), anyExit);
    expect(end?.reason).toMatch(/^(blocked|host)$/);
  });

  it.runIf(isLinux)('a system call that never returns and that no thread can be ended in', async () => {
    const folder = path.dirname(entry);
    execFileSync('mkfifo', [path.join(folder, 'fifo')]);
    const body = `(await import('node:fs')).readFileSync(${JSON.stringify(path.join(folder, 'fifo'))});`;
    const host = await start(attack(body), { settings: { burningMs: 1_500, blockedMs: 1_500, terminateMs: 200 } });
    await survives(host, anyExit);
  });

  it('memory that grows without end', async () => {
    const host = await start(attack(`const all = []; for (;;) all.push(new Array(10_000).fill({}));`), {
      settings: { heapMb: 32 },
    });
    const end = await survives(host, anyExit);
    expect(end?.reason).toMatch(/^(memory|host)$/);
  });

  it.each<[string, string]>([
    ['an abort of its process', `process.kill(process.pid, 'SIGABRT'); await new Promise(() => {});`],
    ['a kill of its own process', `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`],
    ['closed pipes', `const fs = await import('node:fs'); fs.closeSync(4); fs.closeSync(3); await new Promise(() => {});`],
  ])('%s', async (_what, body) => {
    await survives(await start(attack(body)), anyExit);
  });

  it('a host killed from outside: what is pending fails, everything is back in another process', async () => {
    const host = await start(attack('await new Promise(() => {});'));
    const before = await host.text('pid');
    const pending = host.run('attack');
    process.kill(Number(before), 'SIGKILL');
    await expect(pending).rejects.toMatchObject({ code: 'HOST_EXITED' });
    await host.until(() => host.ends.length === 1 && host.host.state === 'ready');
    expect(await host.text('pid')).not.toBe(before);
  });

  it('memory outside the heap that grows without end', async () => {
    const body = `const all = []; for (;;) { all.push(Buffer.alloc(10e6, 1)); await new Promise(setImmediate); }`;
    const end = await survives(await start(attack(body), { settings: { rssMb: 300 } }), 'HOST_EXITED');
    expect(end?.message).toContain('more than 300 MB');
  });

  it('a host that is suspended', async () => {
    const host = await start(attack('process.kill(process.pid, "SIGSTOP"); await new Promise(() => {});'));
    expect((await survives(host, 'HOST_EXITED'))?.message).toContain('silent');
  });

  it('a host that does not read', async () => {
    const host = await start(extension(`pi.on('large', () => {});`), { settings: { maxUnreadBytes: 4e6 } });
    process.kill(Number(await host.text('pid')), 'SIGSTOP');
    for (let size = 0; size < 8e6; size += 1e5) host.host.emit({ type: 'large', text: 'x'.repeat(1e5) });
    await host.until(() => host.ends.length === 1 && host.host.state === 'ready');
    expect(host.ends[0]?.message).toContain('does not read');
    await expect(host.text('alive')).resolves.toBe('alive');
  });

  it('a tool_call gate whose worker ends: the call is refused', async () => {
    const host = await start(extension(`pi.on('tool_call', () => process.exit(1));`));
    expect((await host.gate()).blocked).toMatch(/could not be asked/);
  });

  it('output of all kinds, which ends in the log with the name where it is known', async () => {
    const body = `console.log('by console'); process.stdout.write('by stream\\n');
      (await import('node:fs')).writeSync(1, '{"type":"response"}\\n');
      (await import('node:child_process')).execFileSync('sh', ['-c', 'echo by child'], { stdio: 'inherit' });
      return 'done';`;
    const host = await start(attack(body));
    await expect(host.text('attack')).resolves.toBe('done');
    const logged = (message: string) => host.log.find((record) => record.message === message);
    await host.until(() => ['by console', 'by stream', 'by child', '{"type":"response"}'].every(logged));
    expect(logged('by console')).toMatchObject({ extension: 'attacker', stream: 'stdout' });
    expect(logged('by stream')).toMatchObject({ extension: 'attacker' });
    expect(logged('by child')).toMatchObject({ extension: null });
  });
});

describe('a host', { timeout: 60_000 }, () => {
  it('that ends for the third time is given up, and what is asked of it fails at once', async () => {
    const host = await start(extension('setImmediate(() => process.exit(1));', toolSource('never', '')));
    await host.until(() => host.host.state === 'failed');
    expect(host.ends).toHaveLength(3);
    expect(host.host.bridge).toBeUndefined();
    await expect(host.gate()).resolves.toMatchObject({ failures: [] });
  });

  it('that can not be started fails with a code', async () => {
    running = new TestHost({ entry: '/nowhere/host.js', extensions: { neighbour } });
    await expect(running.load()).rejects.toMatchObject({ code: 'HOST_START_FAILED' });
  });

  it('is idle, starting, ready, stopping and stopped in this order', async () => {
    const host = await start(neighbour);
    await host.host.stop();
    await host.host.stop();
    expect(host.states).toEqual(['starting', 'ready', 'stopping', 'stopped']);
  });

  it('lets shutdown handlers run when it stops, and leaves no process behind', async () => {
    const host = await start(
      extension(
        `const child = (await import('node:child_process')).spawn('sleep', ['600']);`,
        toolSource('child', 'return child.pid;'),
        `pi.on('session_shutdown', async () => { await null; console.log('goodbye'); });`,
      ),
    );
    const child = Number(await host.text('child'));
    const pid = Number(await host.text('pid'));
    await host.host.stop();
    expect(host.log.some(({ message }) => message === 'goodbye')).toBe(true);
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => isAlive(child), { timeout: 30_000 }).toBe(false);
  });

  it('is killed when it does not stop', async () => {
    const host = await start(extension(`pi.on('session_shutdown', () => { for (;;); });`), {
      settings: { shutdownMs: 100, terminateMs: 100 },
    });
    const pid = Number(await host.text('pid'));
    await host.host.stop();
    expect(isAlive(pid)).toBe(false);
  });
});
