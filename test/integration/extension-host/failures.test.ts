import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ENTRY, extension, isAlive, isLinux, TestHost, type TestHostOptions, toolSource } from './support.js';

let running: TestHost | undefined;
const fifos: string[] = [];

afterEach(async () => {
  await running?.dispose();
  for (const folder of fifos.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const neighbour = extension(toolSource('alive', `return 'alive';`), toolSource('pid', 'return process.pid;'));

async function start(attacker: string, options: Partial<TestHostOptions> = {}): Promise<TestHost> {
  running = new TestHost({ entry: ENTRY, extensions: { attacker, neighbour }, ...options });
  await running.load();
  return running;
}

/** Runs the attack as a tool; it must fail with `code`, be reported, and all must be back afterwards. */
async function survives(host: TestHost, code: string | RegExp): Promise<TestHost['problems'][number] | undefined> {
  const pending = host.run('attack').then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );
  expect(await pending).toMatch(code);
  await host.until(() => host.problems.length === 1 && isBack(host));
  await expect(host.text('alive')).resolves.toBe('alive');
  return host.problems[0];
}

const isBack = (host: TestHost): boolean => host.extensions.records.every(({ state }) => state === 'ready');

const attack = (body: string): string => extension(toolSource('attack', body));
const anyExit = /^(WORKER|HOST)_EXITED$/;

describe('G12: the core survives', { timeout: 60_000 }, () => {
  it('process.exit in an extension', async () => {
    const end = await survives(await start(attack('process.exit(3);')), 'WORKER_EXITED');
    expect(end).toMatchObject({
      event: 'worker',
      extension: 'attacker',
      error: expect.stringContaining('ended by itself with code 3'),
    });
  });

  it.each([
    ['an error nobody caught, in a timer', `setTimeout(() => { throw new Error('late'); }, 1);`, 'uncaught error', 'late'],
    ['a rejection nobody handled', `Promise.reject(new Error('unhandled'));`, 'unhandled rejection', 'unhandled'],
  ])('%s: it is named, and nothing ends', async (_what, body, event, error) => {
    const host = await start(attack(`${body} return 'went on';`));
    await expect(host.text('attack')).resolves.toBe('went on');
    await host.until(() => host.problems.length === 1);
    expect(host.problems[0]).toMatchObject({ extension: 'attacker', event, error });
    await expect(host.text('alive')).resolves.toBe('alive');
  });

  it('an endless loop, and names who loops', async () => {
    const host = await start(attack('for (;;);'), { settings: { burningMs: 1_500, slowMs: 250 } });
    const end = await survives(host, 'WORKER_EXITED');
    expect(end).toMatchObject({ extension: 'attacker', error: expect.stringContaining(isLinux ? 'busy' : 'blocked') });
  });

  it('a thread that waits for ever', async () => {
    const body = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const end = await survives(await start(attack(body), { settings: { burningMs: 1_500, blockedMs: 1_500 } }), anyExit);
    expect(end?.event).toMatch(/^(worker|extension host)$/);
  });

  it.runIf(isLinux)('a system call that never returns and that no thread can be ended in', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pi-fifo-'));
    fifos.push(folder);
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
    expect(end?.event).toMatch(/^(worker|extension host)$/);
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
    await host.until(() => host.problems.length === 1 && isBack(host));
    expect(await host.text('pid')).not.toBe(before);
  });

  it('memory outside the heap that grows without end', async () => {
    const body = `const all = []; for (;;) { all.push(Buffer.alloc(10e6, 1)); await new Promise(setImmediate); }`;
    const end = await survives(await start(attack(body), { settings: { rssMb: 300 } }), 'HOST_EXITED');
    expect(end?.error).toContain('more than 300 MB');
  });

  it('a host that is suspended', async () => {
    const host = await start(attack('process.kill(process.pid, "SIGSTOP"); await new Promise(() => {});'));
    expect((await survives(host, 'HOST_EXITED'))?.error).toContain('silent');
  });

  it('a host that does not read', async () => {
    const host = await start(extension(`pi.on('large', () => {});`), { settings: { maxUnreadBytes: 4e6 } });
    process.kill(Number(await host.text('pid')), 'SIGSTOP');
    for (let size = 0; size < 8e6; size += 1e5) host.extensions.emit({ type: 'large', text: 'x'.repeat(1e5) });
    await host.until(() => host.problems.length === 1 && isBack(host));
    expect(host.problems[0]?.error).toContain('does not read');
    await expect(host.text('alive')).resolves.toBe('alive');
  });

  it('a tool_call gate whose worker ends: the call is refused', async () => {
    const host = await start(extension(`pi.on('tool_call', () => process.exit(1));`));
    expect((await host.gate()).blocked).toMatch(/could not be asked/);
    expect(host.problems.map(({ event }) => event).sort()).toEqual(['tool_call', 'worker']);
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
  it('G13: that ends for the third time is quarantined, its neighbours are not, and its gate refuses', async () => {
    const host = await start(
      extension(`setImmediate(() => process.exit(1));`, `pi.on('tool_call', () => undefined);`, toolSource('never', '')),
    );
    await host.until(() => host.record('attacker').state === 'quarantined');
    await host.until(() => host.record('neighbour').state === 'ready');
    await expect(host.text('alive')).resolves.toBe('alive');
    expect(host.toolNames).not.toContain('never');
    expect((await host.gate()).blocked).toMatch(/attacker, which must be asked first, is not running/);
  });

  it('that can not be started fails its extensions with a reason', async () => {
    running = new TestHost({ entry: '/nowhere/host.js', extensions: { neighbour } });
    void running.load();
    await running.until(() => running?.problems.some(({ event }) => event === 'extension host') ?? false);
    expect(running.record('neighbour').state).not.toBe('ready');
  });

  it('runs exit handlers when it stops, and leaves no process behind', async () => {
    const host = await start(
      extension(
        `const child = (await import('node:child_process')).spawn('sleep', ['600']);`,
        toolSource('child', 'return child.pid;'),
        `process.on('exit', () => console.log('goodbye'));`,
      ),
    );
    const child = Number(await host.text('child'));
    const pid = Number(await host.text('pid'));
    await host.extensions.stop();
    expect(host.log.some(({ message }) => message === 'goodbye')).toBe(true);
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => isAlive(child), { timeout: 30_000 }).toBe(false);
  });

  it('is killed when it does not stop', async () => {
    const host = await start(extension(`process.on('exit', () => { for (;;); });`), {
      settings: { shutdownMs: 100, terminateMs: 100 },
    });
    const pid = Number(await host.text('pid'));
    await host.extensions.stop(100);
    expect(isAlive(pid)).toBe(false);
  });
});
