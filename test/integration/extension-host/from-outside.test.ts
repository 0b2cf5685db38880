import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DisposableStore } from '../../../core/base/disposable.js';
import { bundledHost, extension, isAlive } from './support.js';

const suite = new DisposableStore();
let entry = '';
let program = '';

beforeAll(async () => {
  entry = await bundledHost(suite);
  program = path.join(path.dirname(entry), 'core-program.mjs');
  const source = fileURLToPath(new URL('./core-program.ts', import.meta.url));
  await build({ entryPoints: [source], outfile: program, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' });
});
afterAll(() => suite.dispose());

function run(source: string): ChildProcessByStdio<Writable, Readable, Readable> {
  const file = path.join(path.dirname(entry), 'extension.mjs');
  writeFileSync(file, source);
  const child = spawn(process.execPath, [program, entry, file], { stdio: ['pipe', 'pipe', 'pipe'] });
  suite.defer(() => void child.kill('SIGKILL'));
  return child;
}

/** The process id the program says first. */
async function hostPid(child: { stdout: Readable }): Promise<number> {
  for await (const line of createInterface({ input: child.stdout })) return Number(JSON.parse(line).hostPid);
  throw new Error('The program said nothing');
}

const noise = `
  console.log('{"type":"response"}'); process.stdout.write('{"type":"response"}\\n');
  (await import('node:fs')).writeSync(1, '{"type":"response"}\\n');
  (await import('node:child_process')).execFileSync('sh', ['-c', 'echo from a child'], { stdio: 'inherit' });`;

describe('a core with an extension host', { timeout: 60_000 }, () => {
  it("G2: keeps its stdout to itself: what extensions print ends on stderr, with the extension's name", async () => {
    const child = run(extension(noise, `pi.on('session_shutdown', () => console.log('goodbye'));`));
    const output = text(child.stdout);
    const log = text(child.stderr);
    child.stdin.end();
    const records = (await output).trim().split('\n');
    expect(records.map((line) => Object.keys(JSON.parse(line)))).toEqual([['hostPid'], ['stopped']]);
    const logged = (await log)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { message: string; extension: string | null });
    expect(logged).toContainEqual(expect.objectContaining({ message: 'from a child', extension: null }));
    expect(logged).toContainEqual(expect.objectContaining({ message: 'goodbye', extension: 'extension-0' }));
  });

  it('takes the host with it when it is killed, a looping one too', async () => {
    for (const source of [extension(''), extension('setImmediate(() => { for (;;); });')]) {
      const child = run(source);
      const pid = await hostPid(child);
      expect(isAlive(pid)).toBe(true);
      child.kill('SIGKILL');
      await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    }
  });

  it('ends when its host is stopped: nothing of it keeps the process', async () => {
    const child = run(extension(''));
    await hostPid(child);
    child.stdin.end();
    await expect(new Promise((resolve) => child.once('exit', resolve))).resolves.toBe(0);
  });
});
