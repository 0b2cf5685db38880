import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, createSandbox, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.remove());

/** Starts a bash command that writes its pid and would run for ever. */
async function withLongCommand(): Promise<{ pi: PiProcess; pid: number }> {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session']);
  pi.send({ id: 'b', type: 'bash', command: 'echo $$; exec sleep 1000' });
  const update = await pi.find((record) => record.type === 'bash_execution_update');
  return { pi, pid: Number(update.delta) };
}

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  // A zombie is dead already; its parent is init by now.
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

describe('how the process ends', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('G11: %s kills running commands and exits with %i', async (signal, code) => {
    const { pi, pid } = await withLongCommand();
    pi.kill(signal);
    expect(await pi.exited).toEqual({ code, signal: null });
    expect(isAlive(pid)).toBe(false);
  });

  it('G11: the end of stdin kills running commands and exits with 0', async () => {
    const { pi, pid } = await withLongCommand();
    expect(await pi.end()).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
    expect(pi.records.filter((record) => record.type === 'response' && record.id === 'b')).toHaveLength(1);
  });

  it('G11: commands written before the end of stdin are answered', async () => {
    const { code, stdout } = await runPi(sandbox, ['--mode', 'rpc', '--no-session'], {
      stdin: ['get_available_models', 'get_state', 'get_commands', 'get_capabilities']
        .map((type) => `${JSON.stringify({ id: type, type })}\n`)
        .join(''),
    });
    expect(code).toBe(0);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids.sort()).toEqual(['get_available_models', 'get_capabilities', 'get_commands', 'get_state']);
  });

  it.each([
    ['an unknown option', ['--mode', 'rpc', '--modle', 'x'], '--model'],
    ['a bad value', ['--mode', 'xml'], 'xml'],
    ['a missing value', ['--session'], '--session'],
    ['an unknown model', ['-p', 'hi', '--model', 'no-such-model'], 'no-such-model'],
    ['a missing file', ['-p', '@missing.txt'], 'missing.txt'],
    ['a session that does not exist', ['-p', 'hi', '--session', 'ffffffff'], 'ffffffff'],
  ])('G11: %s is one line on stderr and exit code 2', async (_what, args, named) => {
    const { code, stdout, stderr } = await runPi(sandbox, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(named);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('G11: a prompt that can not be answered exits with 1 and says why on stderr', async () => {
    for (const args of [
      ['-p', 'hi'],
      ['--mode', 'json', 'hi'],
    ]) {
      const { code, stderr } = await runPi(sandbox, args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/api key/i);
      expect(stderr).toContain('--provider offline');
    }
  });

  it('ends when nobody reads its stdout any more', async () => {
    const child = spawn(process.execPath, [CLI, '--mode', 'rpc', '--no-session'], {
      cwd: sandbox.cwd,
      env: sandbox.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    child.stdin.write('{"type":"get_state"}\n');
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
  });

  it('a crash of its own leaves a report without secrets, named on stderr, and exit code 1', async () => {
    const hook = path.join(sandbox.root, 'crash.mjs');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(hook, "setTimeout(() => { throw new Error('planted crash'); }, 300);");
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--api-key', 'sk-secret'], {
      NODE_OPTIONS: `--import ${hook}`,
    });
    expect((await pi.exited).code).toBe(1);
    const folder = path.join(sandbox.agentDir, 'crashes');
    const [report] = readdirSync(folder);
    expect(pi.stderr).toContain(path.join(folder, String(report)));
    const text = readFileSync(path.join(folder, String(report)), 'utf8');
    expect(text).toContain('planted crash');
    expect(text).not.toContain('sk-secret');
  });
});
