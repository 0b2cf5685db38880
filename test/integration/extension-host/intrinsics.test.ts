import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const running: { pi: PiProcess; sandbox: Sandbox }[] = [];
afterEach(async () => {
  for (const { pi, sandbox } of running.splice(0)) {
    pi.kill();
    await pi.exited;
    sandbox.remove();
  }
});

/** The program with these extensions, name -> source, in this order. */
function start(extensions: Record<string, string>): PiProcess {
  const sandbox = createSandbox();
  const folder = path.join(sandbox.root, 'extensions');
  mkdirSync(folder);
  const args = Object.entries(extensions).flatMap(([name, source]) => {
    writeFileSync(path.join(folder, name), source);
    return ['-e', path.join(folder, name)];
  });
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', ...args]);
  running.push({ pi, sandbox });
  return pi;
}

/** What the command told. */
async function told(pi: PiProcess, command: string): Promise<Json> {
  const from = pi.records.length;
  await pi.request({ type: 'prompt', message: `/${command}` });
  const isAnswer = (record: Json): boolean => record.method === 'notify' && record.message?.startsWith(`${command}: `);
  const { message } = await pi.find(isAnswer, from);
  return JSON.parse(message.slice(command.length + 2));
}

const command = (
  name: string,
  body: string,
): string => `pi.registerCommand('${name}', { description: '', handler: async (_: string, ctx: any) => {
  const run = async () => { ${body} };
  ctx.ui.notify('${name}: ' + JSON.stringify((await run()) ?? null));
} });`;
const extension = (...statements: string[]): string => `export default async (pi: any) => { ${statements.join('\n')} };`;

const where = `import { threadId } from 'node:worker_threads';\n`;
const threads = async (pi: PiProcess, ...commands: string[]): Promise<number[]> => {
  const all: number[] = [];
  for (const one of commands) all.push(await told(pi, one));
  return all;
};

describe('extensions of one worker', { timeout: 60_000 }, () => {
  it('keep their world when one tries to change it, and that one gets a worker of its own', async () => {
    const patches = `${where}${extension(
      command('attacker-thread', 'return threadId;'),
      command(
        'patch',
        `(Array.prototype as any).last = function () { return this[this.length - 1]; }; return ([1, 2] as any).last();`,
      ),
      `pi.on('session_start', (event: any, ctx: any) => ctx.ui.notify('started: ' + event.reason));`,
    )}`;
    const neighbour = `${where}${extension(
      command('neighbour-thread', 'return threadId;'),
      command('look', `return [[1].map((x) => x + 1), Object.keys({}), JSON.stringify([1]), 'last' in []];`),
    )}`;
    const pi = start({ 'a.ts': patches, 'b.ts': neighbour });
    const [one, other] = await threads(pi, 'attacker-thread', 'neighbour-thread');
    expect(one).toBe(other);
    pi.send({ type: 'prompt', message: '/patch' });
    const error = await pi.find((record) => record.type === 'extension_error' && record.code === 'INTRINSIC_FIXED');
    expect(error).toMatchObject({ extensionPath: expect.stringContaining('a.ts') });
    expect(error.error).toContain('a worker of its own');
    await pi.find((record) => record.method === 'notify' && record.message === 'started: reload');
    expect(await told(pi, 'patch')).toBe(2);
    expect(await told(pi, 'look')).toEqual([[2], [], '[1]', false]);
    const [after, still] = await threads(pi, 'attacker-thread', 'neighbour-thread');
    expect(after).not.toBe(one);
    expect(still).toBe(other);
  });

  it.each([
    ['when it is loaded', `String.prototype.shout = function () { return this.toUpperCase() + '!'; };`],
    ['when it is loaded, where nothing could refuse it', `RegExp.prototype.shout = function () { return 'HI!'; };`],
  ])(
    'of which one needs to change it %s: it has a worker of its own from the start, and no error is told',
    async (_when, patch) => {
      const patches = `${where}(${patch.replace(/^(\w+)\.prototype/, '($1.prototype as any)').replace(/;$/, '')});\n${extension(
        command('patched', `return [threadId, ('hi' as any).shout?.() ?? (/x/ as any).shout()];`),
      )}`;
      const pi = start({
        'a.ts': `${where}${extension(command('look', `return [threadId, 'shout' in String.prototype, 'shout' in RegExp.prototype];`))}`,
        'b.ts': patches,
      });
      const [own, shout] = await told(pi, 'patched');
      expect(shout).toBe('HI!');
      expect(await told(pi, 'look')).toEqual([expect.not.toSatisfy((id) => id === own), false, false]);
      expect(pi.records.filter(({ type }) => type === 'extension_error')).toEqual([]);
    },
  );

  it('share what they put on globalThis and into the environment', async () => {
    const pi = start({
      'a.ts': extension(`(globalThis as any).registry = { a: 1 }; process.env.OF_A = 'a';`),
      'b.ts': extension(command('look', `return [(globalThis as any).registry, process.env.OF_A];`)),
    });
    expect(await told(pi, 'look')).toEqual([{ a: 1 }, 'a']);
  });
});

describe('packages in a worker whose intrinsics are fixed', { timeout: 60_000 }, () => {
  const { resolve } = createRequire(import.meta.url);
  const load = (name: string): string => `await import(${JSON.stringify(pathToFileURL(resolve(name)).href)})`;
  /** Package, what is done with it, what comes of it. */
  const uses: [string, string, unknown][] = [
    ['typebox', `return p.Type.Object({ a: p.Type.String() }).required`, ['a']],
    ['diff', `return p.diffLines('a\\nb\\n', 'a\\nc\\n').length`, 3],
    ['ajv', `const Ajv = p.Ajv ?? p.default; return new Ajv().compile({ type: 'object', required: ['a'] })({ a: 1 })`, true],
    [
      'highlight.js',
      `return p.default.highlight('const a = 1', { language: 'javascript' }).value`,
      expect.stringContaining('hljs-keyword'),
    ],
    ['marked', `return p.marked.parse('# a')`, '<h1>a</h1>\n'],
    ['@mariozechner/pi-tui', `return p.visibleWidth('\\u001b[31mab\\u001b[0m')`, 2],
    ['gray-matter', `return p.default('---\\na: 1\\n---\\nb').data`, { a: 1 }],
    ['cross-spawn', `return String(p.default.sync(process.execPath, ['-p', '1']).stdout).trim()`, '1'],
    ['openai', `return typeof new p.default({ apiKey: 'x' }).chat.completions.create`, 'function'],
    ['@anthropic-ai/sdk', `return typeof new p.default({ apiKey: 'x' }).messages.create`, 'function'],
    ['zod', `return p.z.object({ a: p.z.number() }).safeParse({ a: 'x' }).error.issues[0].path`, ['a']],
    ['typescript', `return p.default.transpile('class A extends Error {}', { target: 1 })`, expect.stringContaining('__extends')],
    ['chalk', `return typeof p.default.red('x')`, 'string'],
  ];

  it('load and work, without a worker of their own', async () => {
    const commands = uses.map(([name, use], at) => command(`use-${at}`, `const p: any = ${load(name)}; ${use};`));
    const pi = start({
      'a.ts': `${where}${extension(command('thread', 'return threadId;'), ...commands)}`,
      'b.ts': `${where}${extension(command('other-thread', 'return threadId;'))}`,
    });
    for (const [at, [name, , expected]] of uses.entries()) expect([name, await told(pi, `use-${at}`)]).toEqual([name, expected]);
    const [one, other] = await threads(pi, 'thread', 'other-thread');
    expect(one).toBe(other);
  });
});
