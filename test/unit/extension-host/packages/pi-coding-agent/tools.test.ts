import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as pi from '../../../../../core/extension-host/packages/pi-coding-agent.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'pi-tools-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const textOf = ({ content }: { content: { type: string; text?: string }[] }): string =>
  content.map(({ text }) => text ?? '').join('');
const failure = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: unknown) => String(error),
  );

describe('the built-in tools as extensions make them', () => {
  it('work on files', async () => {
    writeFileSync(join(dir, 'a.txt'), 'one\ntwo\nthree\n');
    expect(textOf(await pi.createReadTool(dir).execute('1', { path: 'a.txt', limit: 1 }))).toContain('one\n\n[2 more lines');
    const edited = await pi.createEditTool(dir).execute('2', { path: '@a.txt', edits: [{ oldText: 'two', newText: '2' }] });
    expect(edited.details).toMatchObject({ firstChangedLine: 2, patch: expect.stringContaining('+2') });
    await pi.createWriteTool(dir).execute('3', { path: 'sub/b.ts', content: 'const two = 2;' });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\n2\nthree\n');
    expect(textOf(await pi.createGrepTool(dir).execute('4', { pattern: '2' }))).toContain('a.txt:2: 2');
    expect(textOf(await pi.createFindTool(dir).execute('5', { pattern: '*.ts' }))).toContain('sub/b.ts');
    expect(textOf(await pi.createLsTool(dir).execute('6', {}))).toBe('a.txt\nsub/');
  });

  it('take the older form of an edit, as calls stored long ago have it', async () => {
    writeFileSync(join(dir, 'a.txt'), 'one');
    await pi.createEditTool(dir).execute('1', { path: 'a.txt', oldText: 'one', newText: 'two' });
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('two');
  });

  it('fail by throwing, with the text for the model', async () => {
    expect(await failure(pi.createReadTool(dir).execute('1', { path: 'none' }))).toContain('no such file');
    expect(await failure(pi.createBashTool(dir).execute('2', { command: 'echo out; exit 3' }))).toMatch(
      /out\n\nCommand exited with code 3/,
    );
  });

  it('have the names and shapes that are registered', () => {
    expect(pi.createCodingTools(dir).map(({ name }) => name)).toEqual(['read', 'bash', 'edit', 'write']);
    expect(pi.createReadOnlyTools(dir).map(({ name }) => name)).toEqual(['read', 'grep', 'find', 'ls']);
    for (const make of [
      pi.createBashToolDefinition,
      pi.createReadToolDefinition,
      pi.createEditToolDefinition,
      pi.createWriteToolDefinition,
      pi.createGrepToolDefinition,
      pi.createFindToolDefinition,
      pi.createLsToolDefinition,
    ]) {
      const definition = make(dir);
      expect(definition).toMatchObject({
        name: expect.any(String),
        label: expect.any(String),
        parameters: { type: 'object' },
        promptSnippet: expect.any(String),
      });
      const plain = { fg: (_: string, text: string) => text, bold: (text: string) => text };
      const call = definition.renderCall?.({ path: 'a.txt', command: 'ls', pattern: 'x' }, plain);
      expect(call?.render(40).join('')).toContain(definition.name);
      const shown = definition.renderResult?.({ content: [{ type: 'text', text: 'a\n'.repeat(30) }] }, {}, plain);
      expect(shown?.render(40).join('\n')).toContain('20 more lines');
    }
  });

  it('change one file one after the other', async () => {
    const order: number[] = [];
    const file = join(dir, 'same.txt');
    await Promise.all([1, 2, 3].map((n) => pi.withFileMutationQueue(file, async () => void order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });
});

describe('bash', () => {
  it('reports what comes and ends with what there was', async () => {
    const updates: string[] = [];
    const result = await pi
      .createBashTool(dir)
      .execute('1', { command: 'echo hello' }, undefined, (update) => updates.push(textOf(update)));
    expect(textOf(result)).toBe('hello\n');
    expect(updates.at(-1)).toBe('hello\n');
  });

  it('lets a hook change command, folder and environment, after the session is in it', async () => {
    mkdirSync(join(dir, 'sub'));
    let seen: NodeJS.ProcessEnv = {};
    const tool = pi.createBashTool(dir, {
      commandPrefix: 'P=prefix',
      spawnHook: ({ command, cwd, env }) => {
        seen = env;
        return { command: `${command}; pwd`, cwd: join(cwd, 'sub'), env: { ...env, CI: 'yes' } };
      },
    });
    const ctx = {
      sessionManager: { getSessionId: () => 'the-id', getSessionFile: () => undefined },
      model: { provider: 'p', id: 'm' },
    };
    const result = await tool.execute('1', { command: 'echo $P $CI $PI_SESSION_ID $PI_MODEL' }, undefined, undefined, ctx);
    expect(textOf(result)).toBe(`prefix yes the-id m\n${join(dir, 'sub')}\n`);
    expect(seen.PI_PROVIDER).toBe('p');
  });

  it('hides the session when it is told to, inherited variables included', async () => {
    process.env.PI_SESSION_ID = 'of the parent';
    try {
      const ctx = { sessionManager: { getSessionId: () => 'the-id', getSessionFile: () => undefined } };
      const tool = pi.createBashTool(dir, { exposeSessionEnvironment: false });
      expect(textOf(await tool.execute('1', { command: 'echo "[$PI_SESSION_ID]"' }, undefined, undefined, ctx))).toBe('[]\n');
    } finally {
      delete process.env.PI_SESSION_ID;
    }
  });

  it('runs elsewhere when it is given other operations', async () => {
    const asked: unknown[] = [];
    const operations: Parameters<typeof pi.createBashTool>[1] = {
      operations: {
        async exec(command, cwd, { onData, timeout, env }) {
          asked.push([command, cwd, timeout, typeof env]);
          onData(Buffer.from('caf\u00e9').subarray(0, 4));
          onData(Buffer.from('caf\u00e9').subarray(4));
          return { exitCode: command === 'fail' ? 7 : 0 };
        },
      },
    };
    expect(textOf(await pi.createBashTool('/elsewhere', operations).execute('1', { command: 'ls', timeout: 5 }))).toBe(
      'caf\u00e9',
    );
    expect(asked).toEqual([['ls', '/elsewhere', 5, 'object']]);
    expect(await failure(pi.createBashTool('/elsewhere', operations).execute('1', { command: 'fail' }))).toContain('code 7');
  });

  it('ends with all it started when it is aborted, or takes too long', async () => {
    const abort = new AbortController();
    const started = join(dir, 'started');
    const tool = pi.createBashTool(dir);
    const command = `touch ${started}; sleep 60 & wait`;
    const running = failure(tool.execute('1', { command }, abort.signal, () => existsSync(started) && abort.abort()));
    const poll = setInterval(() => existsSync(started) && abort.abort(), 10);
    expect(await running).toContain('Command aborted');
    clearInterval(poll);
    expect(await failure(tool.execute('2', { command: 'sleep 60', timeout: 0.1 }))).toContain('timed out after 0.1 seconds');
  });
});

describe('local operations', () => {
  it('give output as bytes and the exit code, and say how a command was ended', async () => {
    const local = pi.createLocalBashOperations();
    const chunks: Buffer[] = [];
    const onData = (data: Buffer): void => void chunks.push(data);
    expect(await local.exec('echo $FOO; exit 3', dir, { onData, env: { ...process.env, FOO: 'bar' } })).toEqual({ exitCode: 3 });
    expect(Buffer.concat(chunks).toString()).toBe('bar\n');
    expect(await failure(local.exec('sleep 60', dir, { onData, timeout: 0.1 }))).toContain('timeout:0.1');
    expect(await failure(local.exec('true', dir, { onData, signal: AbortSignal.abort() }))).toContain('aborted');
    expect(await failure(local.exec('true', join(dir, 'none'), { onData }))).toContain('Working directory does not exist');
  });

  it('can be wrapped, as for a login shell', async () => {
    const local = pi.createLocalBashOperations();
    const tool = pi.createBashTool(dir, {
      operations: { exec: (command, cwd, options) => local.exec(`X=1; ${command}`, cwd, options) },
    });
    expect(textOf(await tool.execute('1', { command: 'echo $X' }))).toBe('1\n');
  });
});

describe('files elsewhere', () => {
  const files = new Map<string, string>();
  beforeEach(() => {
    files.clear();
    files.set('/far/a.txt', 'one\ntwo\nthree');
  });
  const get = (path: string): string => {
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    return text;
  };

  it('are read, written and edited through the operations that are given', async () => {
    const read = pi.createReadTool('/far', {
      operations: { readFile: async (path) => Buffer.from(get(path)), access: async (path) => void get(path) },
    });
    expect(textOf(await read.execute('1', { path: '@a.txt', limit: 1 }))).toBe(
      'one\n\n[2 more lines in file. Use offset=2 to continue.]',
    );
    expect(textOf(await read.execute('1', { path: 'a.txt', offset: 3 }))).toBe('three');
    expect(await failure(read.execute('1', { path: 'b.txt' }))).toContain('no such file');
    const made: string[] = [];
    const write = pi.createWriteTool('/far', {
      operations: {
        mkdir: async (path) => void made.push(path),
        writeFile: async (path, content) => void files.set(path, content),
      },
    });
    await write.execute('2', { path: 'd/b.txt', content: 'abc' });
    expect([made, files.get('/far/d/b.txt')]).toEqual([['/far/d'], 'abc']);
    const edit = pi.createEditTool('/far', {
      operations: {
        readFile: async (path) => Buffer.from(get(path)),
        writeFile: async (path, content) => void files.set(path, content),
        access: async (path) => void get(path),
      },
    });
    const edited = await edit.execute('3', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] });
    expect(files.get('/far/a.txt')).toBe('one\n2\nthree');
    expect(edited.details).toMatchObject({ firstChangedLine: 2 });
    expect(await failure(edit.execute('4', { path: 'a.txt', edits: [{ oldText: 'nope', newText: '' }] }))).toContain(
      'was not found',
    );
  });

  it('are images when the other side says so', async () => {
    const read = pi.createReadTool('/far', {
      operations: { readFile: () => Buffer.from('x'), access: () => undefined, detectImageMimeType: () => 'image/png' },
    });
    expect((await read.execute('1', { path: 'a.png' })).content[1]).toEqual({
      type: 'image',
      data: 'eA==',
      mimeType: 'image/png',
    });
  });

  it('are listed and searched through the operations that are given', async () => {
    const ls = pi.createLsTool('/far', {
      operations: {
        exists: () => true,
        stat: (path) => ({ isDirectory: () => !path.endsWith('.txt') }),
        readdir: () => ['d', 'a.txt'],
      },
    });
    expect(textOf(await ls.execute('1', {}))).toBe('a.txt\nd/');
    const globs: unknown[] = [];
    const find = pi.createFindTool('/far', {
      operations: {
        exists: () => true,
        glob: (pattern, cwd, options) => {
          globs.push([pattern, cwd, options]);
          return ['/far/d/a.ts'];
        },
      },
    });
    expect(textOf(await find.execute('2', { pattern: '*.ts' }))).toBe('d/a.ts');
    expect(globs).toEqual([['*.ts', '/far', { ignore: ['**/node_modules/**', '**/.git/**'], limit: 1000 }]]);
    const grep = pi.createGrepTool('/far', { operations: { isDirectory: () => false, readFile: get } });
    expect(textOf(await grep.execute('3', { pattern: 't', path: 'a.txt', context: 1, limit: 1 }))).toContain(
      'a.txt-1- one\na.txt:2: two\na.txt-3- three',
    );
  });
});

it('a registered tool can be run by itself, in a context of the runner', async () => {
  const contexts: unknown[] = [];
  const definition = pi.defineTool({
    name: 'own',
    label: 'own',
    description: 'x',
    parameters: { type: 'object' },
    async execute(_id: string, params: Record<string, unknown>, _signal?: AbortSignal, _update?: unknown, ctx?: unknown) {
      contexts.push(ctx);
      return { content: [{ type: 'text' as const, text: String(params.x) }] };
    },
  });
  const [tool] = pi.wrapRegisteredTools([{ definition }], { createContext: () => ({ cwd: '/x' }) });
  expect(await tool?.execute('1', { x: 5 })).toEqual({ content: [{ type: 'text', text: '5' }] });
  expect(contexts).toEqual([{ cwd: '/x' }]);
});
