import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI, createSandbox, PiProcess, runPi, type Sandbox } from '../support/pi-process.js';

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = createSandbox({ files: { 'notes.txt': 'alpha\nbeta\n' } });
});
afterEach(() => sandbox.remove());

describe('the offline model', () => {
  it.each([['--provider offline'], ['--model offline'], ['--model offline/offline']])(
    'answers when it is named: %s',
    async (flags) => {
      const { code, stdout } = await runPi(sandbox, ['-p', ...flags.split(' '), '--no-session', 'read notes.txt']);
      expect(code).toBe(0);
      expect(stdout).toContain('alpha');
    },
  );

  it('is never chosen when it is not named', async () => {
    const { code, stdout } = await runPi(sandbox, ['-p', '--no-session', '--model', 'off', 'read notes.txt']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('a run nobody watches', () => {
  it.each([['-p'], ['--mode', 'json'], ['--mode', 'text']])('G10: %s %s ends by itself and asks nobody', async (...mode) => {
    const args = mode.filter((word) => typeof word === 'string');
    const { code, stdout } = await runPi(sandbox, [...args, '--provider', 'offline', '--no-session', 'read notes.txt']);
    expect(code).toBe(0);
    expect(stdout).toContain('alpha');
    expect(stdout).not.toContain('extension_ui_request');
  });

  it('G10: a stdin that stays open and silent is said on stderr, and its end starts the run', async () => {
    const child = spawn(process.execPath, [CLI, '-p', '--provider', 'offline', '--no-session', 'read notes.txt'], {
      cwd: sandbox.cwd,
      env: sandbox.env,
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const told = new Promise<string>((resolve) => child.stderr.setEncoding('utf8').once('data', resolve));
    expect(await told).toContain('stdin');
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(stdout).toContain('alpha');
  });

  it('G10: get_state says what a run waits for: nothing, when no dialog is open', async () => {
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline']);
    await pi.request({ type: 'prompt', message: 'run "sleep 100"' });
    await pi.find((record) => record.type === 'tool_execution_start');
    expect((await pi.request({ type: 'get_state' })).data).toMatchObject({ isStreaming: true, pendingDialogs: [] });
    await pi.end();
  });
});
