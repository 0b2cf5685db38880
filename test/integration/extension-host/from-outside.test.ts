import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, PiProcess, type Sandbox } from '../../support/pi-process.js';
import { isAlive } from './support.js';

const NOISE = `
import { execFileSync } from 'node:child_process';
import { writeSync } from 'node:fs';
export default function (pi) {
  console.log('{"type":"response"}');
  process.stdout.write('{"type":"response"}\\n');
  writeSync(1, '{"type":"response"}\\n');
  execFileSync('sh', ['-c', 'echo from a child'], { stdio: 'inherit' });
  pi.on('session_shutdown', () => console.log('goodbye'));
}`;

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = createSandbox({
    files: {
      'noise.mjs': NOISE,
      'quiet.mjs': 'export default () => undefined;',
      'loop.mjs': 'export default () => void setTimeout(() => { for (;;); }, 300);',
    },
  });
});
afterEach(() => sandbox.remove());

async function hostPid(pi: PiProcess): Promise<number> {
  await pi.request({ type: 'get_commands' });
  const { data } = await pi.request({ type: 'get_extensions' });
  return data.extensions[0].pid;
}

describe('the program with an extension host', { timeout: 60_000 }, () => {
  it("G2: keeps its stdout to itself: what extensions print ends on stderr, with the extension's name", async () => {
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '-e', 'noise.mjs']);
    await pi.request({ type: 'get_commands' });
    await pi.end();
    expect(pi.badLines).toEqual([]);
    expect(pi.records.map(({ command }) => command)).toEqual(['get_commands']);
    const logged = pi.stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { message: string; extension: string | null });
    expect(logged).toContainEqual(expect.objectContaining({ message: 'from a child', extension: null }));
    expect(logged).toContainEqual(expect.objectContaining({ message: '{"type":"response"}', extension: 'noise' }));
    expect(logged).toContainEqual(expect.objectContaining({ message: 'goodbye', extension: 'noise' }));
  });

  it.each(['quiet.mjs', 'loop.mjs'])('takes its host with it when it is killed: %s', async (file) => {
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '-e', file]);
    const pid = await hostPid(pi);
    expect(isAlive(pid)).toBe(true);
    pi.kill('SIGKILL');
    await pi.exited;
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });

  it('ends when its input ends, and so does its host', async () => {
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '-e', 'quiet.mjs']);
    const pid = await hostPid(pi);
    expect(await pi.end()).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
  });
});
