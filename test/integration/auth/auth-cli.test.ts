import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, createSandbox, type Sandbox } from '../../support/pi-process.js';

const KEY = 'sk-test-0123456789';

function sandbox(): Sandbox & { file: string } {
  const made = createSandbox();
  onTestFinished(made.remove);
  return { ...made, file: path.join(made.agentDir, 'auth.json') };
}

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `pi auth …` with `input` piped in. */
function auth(box: Sandbox, args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, 'auth', ...args], { cwd: box.cwd, env: { ...box.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that refuses its arguments ends without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const stored = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('pi auth with a pipe', () => {
  it('G38: set keeps the key that is piped in, for its owner only, and never prints it', async () => {
    const box = sandbox();
    const { code, stdout, stderr } = await auth(box, ['set', 'openai'], `  ${KEY}\r\n`);
    // A pipe is not asked for anything.
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(box.file);
    expect(stdout).not.toContain(KEY);
    expect(statSync(box.file).mode & 0o777).toBe(0o600);
    expect(stored(box.file)).toEqual({ openai: { type: 'api_key', key: KEY } });
  });

  it('set takes a key as it is: one that looks like a command or a variable is not run or looked up', async () => {
    const box = sandbox();
    await auth(box, ['set', 'a'], '!touch${IFS}made-it');
    await auth(box, ['set', 'b'], '$HOME');
    expect(stored(box.file)).toMatchObject({ a: { key: '$!touch$${IFS}made-it' }, b: { key: '$$HOME' } });
    expect(existsSync(path.join(box.cwd, 'made-it'))).toBe(false);
  });

  it.each([
    ['nothing', '', /is empty/],
    ['blanks', ' \n\n', /is empty/],
    ['several lines', 'a\nb\n', /more than one line/],
    ['a text with blanks', 'my key', /blanks or characters no key has/],
    ['what no header can carry', 'sk-ключ', /blanks or characters no key has/],
    ['far too much', 'x'.repeat(200_000), /too long/],
  ])('set refuses %s and changes nothing', async (_, input, message) => {
    const box = sandbox();
    const { code, stdout, stderr } = await auth(box, ['set', 'openai'], input);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(box.file)).toBe(false);
  });

  it.each([
    [[], /say what to do/],
    [['frobnicate'], /"frobnicate" is none of set, list, remove/],
    [['set'], /needs the name of a provider/],
    [['remove'], /needs the name of a provider/],
    [['list', 'x'], /list takes no argument/],
    [['set', '../x'], /not a name/],
    [['set', '__proto__'], /not a name/],
  ])('%j is wrong use: exit code 2, and the usage', async (args, message) => {
    const box = sandbox();
    const { code, stdout, stderr } = await auth(box, args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('Usage: pi auth set <provider>');
  });

  it('G38: a key given as an argument is refused and not repeated', async () => {
    const { code, stdout, stderr } = await auth(sandbox(), ['set', 'openai', KEY]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/typed at the prompt or piped in/);
    expect(stdout + stderr).not.toContain(KEY);
  });

  it('set says when a name is unknown or near a known one, and keeps the key all the same', async () => {
    const box = sandbox();
    expect((await auth(box, ['set', 'antropic'], KEY)).stderr).toContain('Did you mean anthropic?');
    expect((await auth(box, ['set', 'github-copilot'], KEY)).stderr).toContain('cannot be reached');
    expect(stored(box.file)).toMatchObject({ antropic: { key: KEY }, 'github-copilot': { key: KEY } });
  });

  it('G38: list shows provider and source, what counts first, and no key', async () => {
    const box = sandbox();
    const expires = Date.UTC(2020, 0, 1);
    writeFileSync(
      box.file,
      JSON.stringify({
        groq: { type: 'api_key', key: KEY },
        xai: { type: 'oauth', access: KEY, refresh: KEY, expires },
        p: { type: 'api_key', key: '$NOT_SET' },
      }),
      { mode: 0o600 },
    );
    writeFileSync(path.join(box.agentDir, 'models.json'), JSON.stringify({ providers: { mine: { apiKey: KEY } } }));
    const { code, stdout, stderr } = await auth(box, ['list'], '', { GROQ_API_KEY: KEY, OPENAI_API_KEY: KEY });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'groq    auth.json (API key), before environment (GROQ_API_KEY)',
      'mine    models.json',
      'openai  environment (OPENAI_API_KEY)',
      'p       auth.json (needs NOT_SET, not set)',
      'xai     auth.json (login, expired 2020-01-01T00:00:00.000Z)',
      '',
    ]);
  });

  it('list without any says how to keep one', async () => {
    expect(await auth(sandbox(), ['list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('pi auth set <provider>'),
    });
  });

  it('remove forgets one entry, keeps the rest, and says what is still there or meant', async () => {
    const box = sandbox();
    await auth(box, ['set', 'groq'], KEY);
    await auth(box, ['set', 'openai'], KEY);
    expect(await auth(box, ['remove', 'grok'])).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean groq?') });
    const removed = await auth(box, ['remove', 'groq'], '', { GROQ_API_KEY: KEY });
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Removed groq'),
      stderr: expect.stringContaining('GROQ_API_KEY'),
    });
    expect(stored(box.file)).toEqual({ openai: { type: 'api_key', key: KEY } });
  });

  it('G38: a damaged file is an error said once, quotes nothing, and stays as it is', async () => {
    const box = sandbox();
    const damaged = `{"openai": {"key": "${KEY}"`;
    writeFileSync(box.file, damaged, { mode: 0o600 });
    const { code, stdout, stderr } = await auth(box, ['set', 'groq'], 'other');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.split('is not a JSON object')).toHaveLength(2);
    expect(stderr).not.toContain(KEY);
    expect(readFileSync(box.file, 'utf8')).toBe(damaged);
  });
});

const hasPython = spawnSync('python3', ['-c', 'import pty'], { stdio: 'ignore' }).status === 0;

/** Runs a command on a terminal of its own, types `argv[1]` once the prompt is there, and gives what the terminal showed. */
const TYPIST = `
import json, os, pty, sys, termios
typed, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
def echoes(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
before, shown, during = echoes(), b"", None
while True:
    try: chunk = os.read(terminal, 4096)
    except OSError: break
    if not chunk: break
    shown += chunk
    if during is None and b"(not shown): " in shown:
        during = echoes()
        os.write(terminal, typed.encode())
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"code": status, "shown": shown.decode(), "before": before, "during": during}))
`;

function typeInto(box: Sandbox, typed: string): { code: number; shown: string; before: boolean; during: boolean } {
  const args = ['-c', TYPIST, typed, process.execPath, CLI, 'auth', 'set', 'openai'];
  const { stdout, stderr, status } = spawnSync('python3', args, { cwd: box.cwd, env: box.env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ReturnType<typeof typeInto>; // the script above writes it
}

describe.skipIf(!hasPython)('pi auth set on a terminal', () => {
  it('G38: asks for the key and does not show it', () => {
    const box = sandbox();
    const { code, shown, before, during } = typeInto(box, `${KEY}\r`);
    expect([code, before, during]).toEqual([0, true, false]);
    expect(shown).toContain('API key for OpenAI (not shown): ');
    expect(shown).not.toContain(KEY.slice(0, 5));
    expect(stored(box.file)).toEqual({ openai: { type: 'api_key', key: KEY } });
  });

  it('understands correcting, pasting and keys that are no letters', () => {
    const box = sandbox();
    // A line thrown away (Ctrl-U), an arrow key, a paste in brackets, a letter taken back.
    expect(typeInto(box, `wrong\u0015\u001b[A\u001b[200~${KEY}\u001b[201~x\u007f\r`).code).toBe(0);
    expect(stored(box.file)).toEqual({ openai: { type: 'api_key', key: KEY } });
  });

  it.each([
    ['Ctrl-C', 'sk-half\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s gives up: exit code 130, nothing changed', (_, typed) => {
    const box = sandbox();
    const { code, shown } = typeInto(box, typed);
    expect(code).toBe(130);
    expect(shown).toContain('nothing was changed');
    expect(existsSync(box.file)).toBe(false);
  });
});
