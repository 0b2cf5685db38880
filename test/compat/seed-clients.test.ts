import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CLI, createSandbox, type Sandbox } from '../support/pi-process.js';
import { verifies } from './requirements.js';

/** The clients are the documents' own, byte for byte; they find `pi` on the PATH and choose no model. */
const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

/** The program itself, past any version manager's wrapper that looks for its files in HOME. */
function find(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
const python = find('python3', ['-c', 'import sys; print(sys.executable)']);
const jq = find('sh', ['-c', 'command -v jq']);

let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  sandbox = createSandbox({
    settings: { defaultProvider: 'offline', defaultModel: 'offline' },
    files: { 'alpha.txt': 'one\n', 'beta.txt': 'two\n' },
  });
  const bin = path.join(sandbox.root, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(CLI, path.join(bin, 'pi'));
  env = { ...sandbox.env, PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter) };
});
afterEach(() => sandbox.remove());

it.skipIf(!python)(verifies('python-client'), async () => {
  const client = spawn(python ?? 'python3', [fixture('basic-client.py')], { cwd: sandbox.cwd, env });
  const { code, stdout, stderr } = await outcome(client);
  expect(stderr).toBe('');
  expect(stdout.trim()).not.toBe('');
  expect(stdout.endsWith('\n')).toBe(true);
  expect(code).toBe(0);
});

it(verifies('node-client'), async () => {
  const client = spawn(process.execPath, [fixture('interactive-client.cjs')], { cwd: sandbox.cwd, env });
  // It never ends by itself: once the answer has begun, Ctrl+C sends `abort`, and killing it ends its pi by the end of stdin.
  let interrupted = false;
  client.stdout.on('data', () => {
    if (!interrupted) client.kill('SIGINT');
    interrupted = true;
    client.kill('SIGKILL');
  });
  const { signal, stdout, stderr } = await outcome(client);
  expect(stderr).toBe('');
  expect(stdout.trim()).not.toBe('');
  expect(signal).toBe('SIGKILL');
});

it.skipIf(!jq)(verifies('jq-line'), async () => {
  const line = `pi --mode json "List files" 2>/dev/null | jq -c 'select(.type == "message_end")'`;
  const { code, stdout } = await outcome(spawn('sh', ['-c', line], { cwd: sandbox.cwd, env }));
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(messages.every((record) => record.type === 'message_end')).toBe(true);
  expect(messages.map((record) => record.message.role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  expect(JSON.stringify(messages[2].message.content)).toContain('alpha.txt');
  expect(JSON.stringify(messages[3].message.content)).toContain('beta.txt');
  expect(code).toBe(0);
});

interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function outcome(child: ReturnType<typeof spawn>): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin?.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
