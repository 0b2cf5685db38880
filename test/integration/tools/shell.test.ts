import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRunShell, ShellRunner } from '../../../core/tools/shell.js';
import { isRunning, until, workbench } from './support.js';

function runner(options: Parameters<typeof workbench>[0] = {}) {
  const bench = workbench(options);
  const run = createRunShell(bench.shell, bench.tmpDir);
  const deltas: string[] = [];
  const abort = new AbortController();
  const onOutput = (delta: string): void => void deltas.push(delta);
  return { ...bench, deltas, abort, sh: (command: string) => run(command, { signal: abort.signal, onOutput }) };
}

describe('the shell', () => {
  it('gives output and exit code', async () => {
    const { sh, deltas } = runner();
    expect(await sh('echo hello')).toEqual({ output: 'hello\n', exitCode: 0, cancelled: false, truncated: false });
    expect(deltas.join('')).toBe('hello\n');
    expect(await sh('exit 3')).toEqual({ output: '', exitCode: 3, cancelled: false, truncated: false });
    expect(await sh('no_such_command_here')).toMatchObject({
      exitCode: 127,
      output: expect.stringContaining('no_such_command_here'),
    });
  });

  it('joins stdout and stderr in the order they were written', async () => {
    const { sh } = runner();
    const { output } = await sh('for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done');
    expect(output).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out ${i}\nerr ${i}\n`).join(''));
  });

  it('has an empty stdin, no terminal, and runs in the working directory', async () => {
    const { sh, cwd } = runner();
    expect(
      (await sh('pwd -P; cat; test -t 0 || test -t 1 || echo none; (echo > /dev/tty) 2>/dev/null || echo no tty')).output,
    ).toMatch(new RegExp(`${cwd}\nnone\nno tty\n$`));
  });

  it('reports a syntax error as bash does', async () => {
    const { sh } = runner();
    const { output, exitCode } = await sh('if then');
    expect(exitCode).toBe(2);
    expect(output).toContain('syntax error');
    expect(output).toContain('`if then');
  });

  it('keeps a character whole that comes in two pieces', async () => {
    const { sh, deltas } = runner();
    const { output } = await sh("printf '\\xe4\\xb8'; sleep 0.1; printf '\\x96 \\xf0\\x9f'; sleep 0.1; printf '\\x9a\\x80 ok'");
    expect(output).toBe('世 🚀 ok');
    expect(deltas.join('')).toBe(output);
  });

  it('shows invalid UTF-8 as U+FFFD and a character cut by the end too', async () => {
    const { sh } = runner();
    expect((await sh("printf 'a\\xffb\\xe4\\xb8'")).output).toBe('a\ufffdb\ufffd');
  });

  it('removes terminal codes and carriage returns', async () => {
    const { sh } = runner();
    expect((await sh("printf '\\033[31mred\\033[0m\\r\\n\\033]0;t\\007x'")).output).toBe('red\nx');
  });

  it('says nothing of a signal that came from elsewhere but leaves the exit code out', async () => {
    const { sh } = runner();
    expect(await sh('kill -9 $$')).toEqual({ output: '', cancelled: false, truncated: false });
  });

  it('uses the environment of the moment, without session variables that were inherited', async () => {
    const { sh, env } = runner();
    env.PI_SESSION_ID = 'outer';
    env.SOME_VALUE = 'first';
    expect((await sh('echo [$PI_SESSION_ID] $SOME_VALUE')).output).toBe('[] first\n');
    env.SOME_VALUE = 'second';
    expect((await sh('echo $SOME_VALUE')).output).toBe('second\n');
  });

  it('puts the command prefix on lines of its own', async () => {
    const { sh } = runner({ commandPrefix: 'shopt -s expand_aliases\nalias hi="echo aliased" # note' });
    expect((await sh('hi')).output).toBe('aliased\n');
  });

  it('runs the shell of the settings, and names the setting when it cannot', async () => {
    expect((await runner({ shellPath: '/bin/sh' }).sh('echo $0')).output).toBe('/bin/sh\n');
    await expect(runner({ shellPath: '/no/such/shell' }).sh('true')).rejects.toThrow(
      /\/no\/such\/shell cannot be run.*"shellPath"/,
    );
  });

  it('says what is wrong when the working directory is gone or the command too long', async () => {
    const { tmpDir, env, sh, abort } = runner();
    const gone = new ShellRunner({ cwd: join(tmpDir, 'gone'), env });
    await expect(createRunShell(gone, tmpDir)('true', { signal: abort.signal, onOutput: () => {} })).rejects.toThrow(
      /working directory .* does not exist/,
    );
    await expect(sh(`: ${'x'.repeat(3_000_000)}`)).rejects.toThrow(/too long/);
    await expect(sh('echo a\0b')).rejects.toThrow(/Could not start the shell/);
  });
});

describe('the end of a command', () => {
  it('G34: a command ends when its process ends although a daemon holds the pipe, and the daemon lives on', async () => {
    const { sh, path } = runner();
    const { output, exitCode } = await sh(
      `(echo $BASHPID > ${path('pid')}; while [ ! -e ${path('stop')} ]; do sleep 0.02; echo noise; done; echo > ${path('stopped')}) & until [ -s ${path('pid')} ]; do sleep 0.01; done; echo started`,
    );
    expect(output).toContain('started\n');
    expect(exitCode).toBe(0);
    const pid = Number(readFileSync(path('pid'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    // It still prints into the pipe nobody listens to, which must not kill it.
    await sh(`touch ${path('stop')}`);
    await until(() => existsSync(path('stopped')));
  });

  it('G34: what a command printed before its end is not lost when a daemon holds the pipe', async () => {
    const { sh, path } = runner();
    const { output } = await sh(`sleep 600 & echo $! > ${path('pid')}; seq 1 1500; echo last`);
    expect(output.endsWith('1499\n1500\nlast\n')).toBe(true);
    process.kill(Number(readFileSync(path('pid'), 'utf8')));
  });

  it('G34: abort ends the whole group, grandchildren included, and keeps the output', async () => {
    const { sh, abort, path, deltas } = runner();
    const done = sh(
      `echo begun; (sleep 601 & echo $! > ${path('a')}; wait) & sh -c 'echo $$ > ${path('b')}; sleep 602; :' | sleep 603`,
    );
    await until(() => existsSync(path('a')) && existsSync(path('b')) && statSync(path('b')).size > 0 && deltas.length > 0);
    abort.abort();
    expect(await done).toEqual({ output: 'begun\n', cancelled: true, truncated: false });
    for (const name of ['a', 'b']) expect(isRunning(Number(readFileSync(path(name), 'utf8')))).toBe(false);
  });

  it('G34: abort kills what ignores the polite signal', async () => {
    const { sh, abort, path } = runner();
    const done = sh(
      `trap '' TERM; sh -c 'trap "" TERM; echo $$ > ${path('pid')}; while :; do sleep 0.05; done' & wait; while :; do sleep 0.05; done`,
    );
    await until(() => existsSync(path('pid')) && statSync(path('pid')).size > 0);
    abort.abort();
    expect(await done).toMatchObject({ cancelled: true });
    await until(() => !isRunning(Number(readFileSync(path('pid'), 'utf8'))));
  });

  it('lets a command clean up when it is asked to end', async () => {
    const { sh, abort, path, deltas } = runner();
    const done = sh(`trap 'echo cleaned > ${path('cleaned')}; exit 0' TERM; echo ready; while :; do sleep 0.02; done`);
    await until(() => deltas.join('').includes('ready'));
    abort.abort();
    const result = await done;
    expect(result).toMatchObject({ cancelled: true });
    expect(result.exitCode).toBeUndefined();
    expect(readFileSync(path('cleaned'), 'utf8')).toBe('cleaned\n');
  });

  it('does not start a command whose signal has fired', async () => {
    const { sh, abort, path } = runner();
    abort.abort();
    expect(await sh(`touch ${path('made')}`)).toEqual({ output: '', cancelled: true, truncated: false });
    expect(existsSync(path('made'))).toBe(false);
  });

  it('dispose ends every running command and refuses new ones', async () => {
    const { sh, shell, deltas } = runner();
    const running = [sh('echo up; sleep 604'), sh('echo up; sleep 605')];
    await until(() => deltas.length === 2);
    await shell.dispose();
    for (const result of await Promise.all(running)) expect(result).toMatchObject({ output: 'up\n', cancelled: true });
    await expect(sh('true')).rejects.toThrow('shutting down');
  });

  it('killAll ends every group at once', async () => {
    const { sh, shell, path } = runner();
    const running = sh(`trap '' TERM; echo $$ > ${path('pid')}; sleep 606; sleep 606`);
    await until(() => existsSync(path('pid')) && statSync(path('pid')).size > 0);
    shell.killAll();
    expect((await running).exitCode).toBeUndefined();
    expect(isRunning(Number(readFileSync(path('pid'), 'utf8')))).toBe(false);
  });
});

describe('long output', () => {
  it('G35: the end is kept and the whole is in a private file whose path is given', async () => {
    const { sh, deltas, tmpDir } = runner();
    const result = await sh('seq 1 500000');
    const whole = Array.from({ length: 500_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.output.startsWith('498001\n')).toBe(true);
    expect(result.output.endsWith('500000\n')).toBe(true);
    const path = result.fullOutputPath ?? '';
    expect(path).toMatch(/\/pi-bash-[0-9a-f]+\.log$/);
    expect(path.startsWith(tmpDir)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8') === whole).toBe(true);
    expect(deltas.join('') === whole).toBe(true);
  });

  it('G35: one line of 10 MB is cut on a character border and saved whole', async () => {
    const { sh } = runner();
    const result = await sh(`node -e 'process.stdout.write("é".repeat(5_000_000) + "x")'`);
    expect(result.truncated).toBe(true);
    expect(result.output).toBe(`${'é'.repeat(25_599)}x`);
    expect(statSync(result.fullOutputPath ?? '').size).toBe(10_000_001);
  });

  it('makes no file for output at the limit', async () => {
    const { sh, tmpDir } = runner();
    expect(await sh('seq 1 2000')).toMatchObject({ truncated: false });
    expect(await sh(`head -c ${50 * 1024} /dev/zero | tr '\\0' x`)).toMatchObject({ truncated: false });
    expect(readdirSync(tmpDir)).toEqual([]);
  });

  it('goes on without a file when none can be made', async () => {
    const bench = workbench();
    const run = createRunShell(bench.shell, join(bench.tmpDir, 'missing'));
    const result = await run('seq 1 3000', { signal: new AbortController().signal, onOutput: () => {} });
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.fullOutputPath).toBeUndefined();
  });

  it('does not keep in memory what it saves', async () => {
    const { shell, tmpDir } = runner();
    const run = createRunShell(shell, tmpDir);
    const before = process.memoryUsage();
    const result = await run('head -c 300000000 /dev/zero | tr "\\0" y', {
      signal: new AbortController().signal,
      onOutput: () => {},
    });
    const after = process.memoryUsage();
    expect(statSync(result.fullOutputPath ?? '').size).toBe(300_000_000);
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(100_000_000);
  });
});
