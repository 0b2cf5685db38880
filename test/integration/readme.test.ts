import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, createSandbox, type Sandbox } from '../support/pi-process.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');

/** Lines of the README's shell blocks, without their comments. */
const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap((block) => (block[1] ?? '').split('\n'))
  .map((line) => line.replace(/\s+# .*$/, '').trim())
  .filter((line) => line !== '');

/** Not run here, and why. */
const ELSEWHERE: Record<string, string> = {
  'npm start': 'its output is compared below',
  'npm test': 'this is it',
};

const hasJq = ((): boolean => {
  try {
    execFileSync('jq', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  sandbox = createSandbox({
    settings: { defaultProvider: 'offline', defaultModel: 'offline' },
    files: { 'src/main.ts': 'export const answer = 42;\n', 'notes.txt': 'nothing yet\n' },
  });
  const bin = path.join(sandbox.root, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(CLI, path.join(bin, 'pi'));
  execFileSync('git', ['init', '-q'], { cwd: sandbox.cwd });
  env = { ...sandbox.env, NO_COLOR: '1', PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter) };
});
afterAll(() => sandbox.remove());

describe('the commands of the README', () => {
  it('are found', () => {
    expect(commands.length).toBeGreaterThan(5);
    expect(Object.keys(ELSEWHERE).filter((line) => !commands.includes(line))).toEqual([]);
  });

  const here = commands.filter((line) => !(line in ELSEWHERE));
  it.each(here.filter((line) => hasJq || !line.includes('jq ')))('%s', { timeout: 60_000 }, async (line) => {
    const { code, stdout, stderr } = await shell(line, line.startsWith('npm ') ? ROOT : sandbox.cwd);
    expect(stderr).not.toMatch(/\bError\b|not found/);
    expect(code).toBe(0);
    // Reading commands from an empty stdin is the one thing that has nothing to say.
    if (!line.includes('--mode rpc')) expect(stdout.trim()).not.toBe('');
  });
});

it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'])('%s names files that exist', (document) => {
  const text = fs.readFileSync(path.join(ROOT, document), 'utf8');
  const named = [...text.matchAll(/`((?:core|scripts|test|docs|extensions|examples)\/[\w./-]+)`|\]\(([\w./-]+)(?:#[\w-]+)?\)/g)];
  expect(named.length).toBeGreaterThan(3);
  expect(named.map((match) => match[1] ?? match[2] ?? '').filter((file) => !fs.existsSync(path.join(ROOT, file)))).toEqual([]);
});

describe('npm start', () => {
  it('prints what the README shows', { timeout: 60_000 }, async () => {
    const shown = /<!-- demo:.*-->\n````text\n([\s\S]*?)````\n<!-- \/demo -->/.exec(readme)?.[1];
    const { code, stdout } = await shell('npm start -s', ROOT);
    expect(stdout).toBe(shown);
    expect(code).toBe(0);
  });

  it('passes arguments, output and exit code through', { timeout: 60_000 }, async () => {
    const version = await shell('npm start -s -- --version', ROOT);
    expect(version.stdout.trim()).toBe(JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version);
    // Set-up was done by then, and nothing is said about it again.
    expect(version.stderr).toBe('');
    const wrong = await shell('npm start -s -- --no-such-option', ROOT);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('--no-such-option');
  });
});

function shell(line: string, cwd: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('sh', ['-c', line], { cwd, env: { ...env, INIT_CWD: cwd }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
