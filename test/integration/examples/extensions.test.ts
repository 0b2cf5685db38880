import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = path.join(ROOT, 'examples/extensions');
const FILES = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));

let llm: FakeLlm;
let sandbox: Sandbox;
let pi: PiProcess | undefined;
const driven = new Set<string>();

beforeEach(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({
    providers: fakeProviders(llm.url),
    files: { 'notes.txt': 'alpha sk-12345678901\nbeta\n', 'src/a.ts': '1\n' },
  });
});
afterEach(async () => {
  await pi?.end();
  pi = undefined;
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

const file = (name: string): string => {
  driven.add(`${name}.ts`);
  return path.join(FOLDER, `${name}.ts`);
};
function start(name: string, ...args: string[]): PiProcess {
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', '-e', file(name), ...args]);
  return pi;
}
const offline = (name: string, ...args: string[]) =>
  runPi(sandbox, ['-p', '--no-session', '--provider', 'offline', '-e', file(name), ...args]);
/** The notice a command ends with. */
async function says(program: PiProcess, command: string): Promise<string> {
  const from = program.records.length;
  await program.request({ type: 'prompt', message: command });
  return (await program.find(({ method }) => method === 'notify', from)).message;
}
async function answer(program: PiProcess, from: number, response: object): Promise<Json> {
  const dialog = await program.find(
    ({ type, method }) => type === 'extension_ui_request' && /^(?:select|confirm|input|editor)$/.test(method),
    from,
  );
  program.send({ type: 'extension_ui_response', id: dialog.id, ...response });
  return dialog;
}
async function call(program: PiProcess, name: string, args: object): Promise<Json> {
  llm.push({ toolCalls: [{ id: 'call', name, args }] }, { text: 'Done.' });
  return (await program.prompt('go')).find(({ type }) => type === 'tool_execution_end');
}
const textOf = (end: Json): string => end.result.content.map(({ text = '' }: Json) => text).join('\n');

describe('the examples', { timeout: 60_000 }, () => {
  it('are right for the compiler, by the types that authors have', () => {
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      skipLibCheck: true,
      types: ['node'],
      baseUrl: ROOT,
      paths: {
        '@earendil-works/pi-coding-agent': ['dist/types/extension.d.ts'],
        '@earendil-works/pi-tui': ['dist/types/pi-tui.d.ts'],
      },
    };
    const program = ts.createProgram(
      FILES.map((name) => path.join(FOLDER, name)),
      options,
    );
    const problems = ts.getPreEmitDiagnostics(program).map(({ file: source, start: at = 0, messageText }) => {
      const line = source?.getLineAndCharacterOfPosition(at).line ?? 0;
      return `${path.basename(source?.fileName ?? '')}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
    expect(problems).toEqual([]);
  });

  it('are each named once by the map, and open with what they show', () => {
    const map = fs.readFileSync(path.join(ROOT, 'examples/README.md'), 'utf8');
    for (const name of FILES) {
      expect(map.split(`(extensions/${name})`)).toHaveLength(2);
      expect(fs.readFileSync(path.join(FOLDER, name), 'utf8')).toMatch(/^\/\/ .+\n(?:\/\/.*\n)+/);
    }
    for (const [, link = ''] of map.matchAll(/\]\(([^)]+)\)/g))
      expect(fs.existsSync(path.join(ROOT, 'examples', link))).toBe(true);
  });

  it('first-command greets', async () => {
    expect(await says(start('first-command', '--no-session'), '/hello Ada')).toBe('Hello, Ada!');
    expect((await offline('first-command', '/hello Ada')).stderr).toContain('Hello, Ada!');
  });

  it('tool counts days, and tells the model what is wrong', async () => {
    const program = start('tool', '--no-session');
    expect(textOf(await call(program, 'days_between', { from: '2026-01-01', to: '2026-03-01' }))).toBe('59 days');
    expect(textOf(await call(program, 'days_between', { from: 'x', to: 'y' }))).toContain('is no date');
  });

  it('slow-tool reports, and stops', async () => {
    const program = start('slow-tool', '--no-session');
    expect(textOf(await call(program, 'count_slowly', { to: 3, pauseMs: 1 }))).toBe('Counted to 3');
    const updates = program.records.filter(({ type }) => type === 'tool_execution_update');
    expect(updates[0]?.partialResult.content[0].text).toBe('1 of 3');
    llm.push({ toolCalls: [{ id: 'b', name: 'count_slowly', args: { to: 100, pauseMs: 1000 } }] });
    const from = program.records.length;
    await program.request({ type: 'prompt', message: 'again' });
    await program.find(({ type }) => type === 'tool_execution_update', from);
    await program.request({ type: 'abort' });
    expect(await program.find(({ type }) => type === 'agent_settled', from)).toMatchObject({ aborted: true });
  });

  it('dialogs takes an order', async () => {
    const program = start('dialogs', '--no-session');
    const done = says(program, '/order');
    let from = 0;
    for (const response of [{ value: 'soup' }, { value: 'Ada' }, { value: 'hot' }, { confirmed: true }])
      from = program.records.indexOf(await answer(program, from, response)) + 1;
    expect(await done).toBe('Ordered soup for Ada: hot');
  });

  it('gate refuses and changes calls', async () => {
    const program = start('gate', '--no-session');
    expect(textOf(await call(program, 'bash', { command: 'git push' }))).toContain('left to people');
    expect(textOf(await call(program, 'bash', { command: 'sh -c nice' }))).toMatch(/^10/);
  });

  it('change-result takes keys out', async () => {
    expect(textOf(await call(start('change-result', '--no-session'), 'read', { path: 'notes.txt' }))).toContain('alpha [a key]');
  });

  it('rewrite-input answers and rewrites', async () => {
    expect((await offline('rewrite-input', '?src')).stdout).toContain('a.ts');
    expect((await offline('rewrite-input', 'ping')).stderr).toContain('pong');
  });

  it('system-prompt adds to it', async () => {
    llm.push({ text: 'Yes.' });
    await start('system-prompt', '--no-session').prompt('hello');
    expect(llm.requests[0]?.raw).toMatch(/Today is a \w+day/);
  });

  it('prune-context cuts old results', async () => {
    const program = start('prune-context', '--no-session');
    await call(program, 'read', { path: 'notes.txt' });
    await call(program, 'read', { path: 'notes.txt' });
    const last = llm.requests.at(-1)?.raw ?? '';
    expect(last).toContain('alpha sk-12345678901 …');
    expect(last).toContain('alpha sk-12345678901\\nbeta');
  });

  it('status-and-widget follows the work', async () => {
    const program = start('status-and-widget', '--no-session');
    await call(program, 'read', { path: 'notes.txt' });
    expect(program.records.filter(({ method }) => method === 'setWidget').at(-1)).toMatchObject({ widgetLines: ['✓ read'] });
    expect(program.records.filter(({ method }) => method === 'setStatus').map(({ statusText }) => statusText)).toEqual([
      'working',
      undefined,
    ]);
  });

  it('tell-when-done tells, and runs a program', async () => {
    const run = await offline('tell-when-done', '--done-program=true', 'hello');
    expect(run.stderr).toContain('true ended with 0');
  });

  it('state-in-session counts in each branch', async () => {
    const session = path.join(sandbox.cwd, 's.jsonl');
    const first = start('state-in-session', '--session', session);
    llm.push({ text: 'Hi.' });
    await first.prompt('hello');
    expect([await says(first, '/count'), await says(first, '/count')]).toEqual(['1', '2']);
    await first.end();
    expect(await says(start('state-in-session', '--session', session), '/count')).toBe('3');
  });

  it('flags chooses tools', async () => {
    const program = start('flags', '--no-session', '--look-only');
    await program.request({ type: 'get_commands' });
    const { data } = await program.request({ type: 'get_tools' });
    expect(
      data.tools
        .filter(({ active }: Json) => active)
        .map(({ name }: Json) => name)
        .sort(),
    ).toEqual(['find', 'grep', 'ls', 'read']);
  });

  it('shortcut has a command that marks a place', async () => {
    const program = start('shortcut', '--no-session');
    llm.push({ text: 'Hi.' });
    await program.prompt('hello');
    expect(await says(program, '/mark')).toContain('Marked');
    expect(JSON.stringify((await program.request({ type: 'get_tree' })).data)).toContain('"label":"marked"');
  });

  it('talk-to-others hears what others tell', async () => {
    expect(await says(start('talk-to-others', '--no-session'), '/build false')).toBe('the last build failed');
  });

  it('local-provider offers a model', async () => {
    const { stdout } = await runPi(
      sandbox,
      ['-p', '--no-session', '--provider', 'local', '--model', 'local-small', '-e', file('local-provider'), 'hi'],
      {
        env: { LOCAL_URL: `${llm.url}/v1` },
      },
    );
    expect(stdout).toBe('');
    expect(llm.requests[0]).toMatchObject({ api: 'openai-completions', body: { model: 'local-small' } });
  });

  it('own-model answers by itself', async () => {
    const { stdout } = await runPi(sandbox, [
      '-p',
      '--no-session',
      '--model',
      'parrot/parrot',
      '-e',
      file('own-model'),
      'good morning',
    ]);
    expect(stdout.trim()).toBe('You said: good morning');
  });

  it('own-summary summarises without a model', async () => {
    fs.writeFileSync(path.join(sandbox.agentDir, 'settings.json'), JSON.stringify({ compaction: { keepRecentTokens: 1 } }));
    const program = start('own-summary', '--no-session');
    llm.push({ text: 'One.' }, { text: 'Two.' });
    await program.prompt('first question');
    await program.prompt('second question');
    const { data } = await program.request({ type: 'compact' });
    expect(data.summary).toContain('- first question');
    expect(llm.requests).toHaveLength(2);
  });

  it('ask-before-leaving asks, and clears up', async () => {
    const program = start('ask-before-leaving');
    const leaving = program.request({ type: 'new_session' });
    await answer(program, 0, { confirmed: false });
    expect((await leaving).data).toEqual({ cancelled: true });
    await program.end();
    expect(program.stderr).toContain('ended: quit');
  });

  it('hand-over goes on in a new session', async () => {
    const program = start('hand-over');
    llm.push({ text: 'Hi.' });
    await program.prompt('hello');
    expect(await says(program, '/handover the tests are green')).toBe('Handed over');
    const { data } = await program.request({ type: 'get_messages' });
    expect(JSON.stringify(data.messages)).toContain('From the session before: the tests are green');
    expect(JSON.stringify(data.messages)).not.toContain('hello');
  });

  it('bring-skills brings one', async () => {
    const program = start('bring-skills', '--no-session');
    const { data } = await program.request({ type: 'get_commands' });
    expect(data.commands.map(({ name }: Json) => name)).toContain('skill:haiku');
  });

  it('shown-in-export draws its result', async () => {
    const program = start('shown-in-export');
    await call(program, 'roll', { dice: 3 });
    await program.request({ type: 'export_html', outputPath: 'page.html' });
    const page = fs.readFileSync(path.join(sandbox.cwd, 'page.html'), 'utf8');
    expect(page).toContain('rolls 3 dice');
    expect(page).toMatch(/[⚀-⚅] [⚀-⚅] [⚀-⚅]/);
  });

  it('own-messages adds one, and speaks for the user', async () => {
    const program = start('own-messages', '--no-session');
    await says(program, '/remind drink water');
    llm.push({ text: 'Hi.' }, { text: 'Hi again.' });
    await program.prompt('hello');
    expect(llm.requests[0]?.raw).toContain('Keep in mind: drink water');
    const from = program.records.length;
    await program.request({ type: 'prompt', message: '/again' });
    await program.find(({ type }) => type === 'agent_settled', from);
    expect(llm.requests).toHaveLength(2);
  });

  it('restricted reads here and nowhere else', async () => {
    fs.writeFileSync(path.join(sandbox.home, 'private.txt'), 'mine');
    execFileSync(
      process.execPath,
      [path.join(ROOT, 'dist/cli.js'), 'ext', 'trust', file('restricted'), 'restricted', 'ui', 'commands', 'fs:read:$CWD'],
      {
        cwd: sandbox.cwd,
        env: sandbox.env,
      },
    );
    const program = start('restricted', '--no-session');
    expect(await says(program, '/peek notes.txt')).toContain('alpha');
    expect(await says(program, `/peek ${sandbox.home}/private.txt`)).toMatch(/^Not read:/);
  });

  it('ask-a-model names the session', async () => {
    const program = start('ask-a-model', '--no-session');
    llm.push({ text: 'Hi.' }, { text: 'A short greeting' });
    await program.prompt('hello');
    expect(await says(program, '/title')).toBe('A short greeting');
    expect((await program.request({ type: 'get_state' })).data.sessionName).toBe('A short greeting');
  });

  it('replace-a-tool reads as before, and writes it down', async () => {
    const program = start('replace-a-tool', '--no-session');
    expect(textOf(await call(program, 'read', { path: 'notes.txt' }))).toContain('beta');
    await program.end();
    expect(program.stderr).toContain('reads {');
  });

  it('elsewhere runs commands in a folder of its own', async () => {
    const { data } = await start('elsewhere', '--no-session').request({ type: 'bash', command: 'pwd' });
    expect(data.output).toMatch(/elsewhere-\w+/);
  });

  it('are all tried here', () => {
    expect(FILES.filter((name) => !driven.has(name))).toEqual([]);
  });
});
