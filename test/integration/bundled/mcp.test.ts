import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
/** Answers nothing, and keeps reading. */
const HANGING = `process.stdin.resume();`;
const STDIO = { command: process.execPath, args: [EVERYTHING, 'stdio'] };

let llm: FakeLlm;
let sandbox: Sandbox;
let pi: PiProcess | undefined;
let server: ChildProcess | undefined;

beforeEach(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({ providers: fakeProviders(llm.url), settings: { extensions: ['builtin:mcp'] } });
});
afterEach(async () => {
  await pi?.end();
  pi = undefined;
  server?.kill('SIGKILL');
  server = undefined;
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

function configure(mcpServers: object, file = path.join(sandbox.agentDir, 'mcp.json')): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ mcpServers }));
}

function start(env: NodeJS.ProcessEnv = {}, ...args: string[]): PiProcess {
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', ...args], env);
  return pi;
}

/** What `/mcp …` says. */
async function mcp(of: PiProcess, words = ''): Promise<string> {
  const from = of.records.length;
  await of.request({ type: 'prompt', message: `/mcp ${words}`.trim() });
  return (await of.find(({ method }) => method === 'notify', from)).message;
}

const toolNames = async (of: PiProcess): Promise<string[]> =>
  (await of.request({ type: 'get_tools' })).data.tools.map(({ name }: Json) => name);

/** Name of the tool of `every` whose name has this word. */
async function toolNamed(of: PiProcess, word: string): Promise<string> {
  await expect.poll(() => mcp(of), { timeout: 20_000 }).toContain('every: ready');
  const name = (await toolNames(of)).find((one) => one.startsWith('mcp_every_') && one.toLowerCase().includes(word));
  if (name === undefined) throw new Error(`The server has no tool with "${word}"`);
  return name;
}

/** Lets the model call a tool, and gives the end of the call. */
async function call(of: PiProcess, name: string, args: object): Promise<Json> {
  llm.push({ toolCalls: [{ id: 'call', name, args }] }, { text: 'Done.' });
  const events = await of.prompt('go');
  return events.find(({ type }) => type === 'tool_execution_end');
}

const textOf = (end: Json): string => end.result.content.map(({ text = '' }: Json) => text).join('\n');

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo; // an object: it listens on TCP
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startHttp(): Promise<{ url: string; port: number }> {
  const port = await freePort();
  server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  await expect
    .poll(
      () =>
        new Promise((resolve) => {
          const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
          socket.once('close', () => socket.destroy());
        }),
      { timeout: 20_000 },
    )
    .toBe(true);
  return { url: `http://127.0.0.1:${port}/mcp`, port };
}

describe('an MCP server over stdio', { timeout: 60_000 }, () => {
  it('has its tools offered to the model before the first prompt, and answers their calls', async () => {
    configure({ every: STDIO });
    const program = start();
    const end = await call(program, 'mcp_every_echo', { message: 'well?' });
    expect(end).toMatchObject({ isError: false });
    expect(textOf(end)).toContain('well?');
    const offered = ((llm.requests[0]?.body.tools ?? []) as { name: string }[]).map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(['read', 'mcp_every_echo', 'mcp_resources']));
    expect(await mcp(program)).toMatch(/^every: ready, \d+ tools, \d+ prompts, resources \(stdio, /);
  });

  it('reports progress, and is told when a run is aborted', async () => {
    configure({ every: STDIO });
    const program = start();
    const name = await toolNamed(program, 'long');
    const end = await call(program, name, { duration: 1, steps: 4 });
    expect(end).toMatchObject({ isError: false });
    const updates = program.records.filter(({ type }) => type === 'tool_execution_update');
    expect(updates.map(({ partialResult }) => partialResult.content[0].text)).toContain('3 of 4');
    llm.push({ toolCalls: [{ id: 'long', name, args: { duration: 120, steps: 2 } }] });
    const from = program.records.length;
    await program.request({ type: 'prompt', message: 'again' });
    await program.find(({ type }) => type === 'tool_execution_start', from);
    await program.request({ type: 'abort' });
    expect(await program.find(({ type }) => type === 'agent_settled', from)).toMatchObject({ aborted: true });
  });

  it('gives images, resources and its prompts as slash commands', async () => {
    configure({ every: STDIO });
    const program = start();
    const end = await call(program, await toolNamed(program, 'image'), {});
    expect(await mcp(program, 'tools every')).toContain('mcp_every_echo: ');
    expect(end.result.content.map(({ type }: Json) => type)).toContain('image');
    const listed = await mcp(program, 'resources every');
    const uri = /^(\S+:\/\/[^\s{]+) {2}/m.exec(listed)?.[1] ?? '';
    const read = await call(program, 'mcp_resources', { action: 'read', uri });
    expect(read).toMatchObject({ isError: false });
    expect(textOf(read).length).toBeGreaterThan(3);
    const { data } = await program.request({ type: 'get_commands' });
    const prompt = data.commands.find(({ name }: Json) => name.startsWith('mcp:every:'));
    expect(prompt).toBeDefined();
    llm.push({ text: 'Understood.' });
    const before = llm.requests.length;
    await program.request({ type: 'prompt', message: `/${prompt.name} city=Oslo` });
    await llm.request(before);
  });

  it('that dies is started again, and its tools work as before', async () => {
    configure({ every: STDIO });
    const program = start();
    expect(await call(program, 'mcp_every_echo', { message: 'one' })).toMatchObject({ isError: false });
    const pids = fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const [line, environment] = ['cmdline', 'environ'].map((file) => fs.readFileSync(`/proc/${pid}/${file}`, 'utf8'));
          return line?.includes(EVERYTHING) && environment?.includes(sandbox.home);
        } catch {
          return false;
        }
      });
    expect(pids).toHaveLength(1);
    process.kill(Number(pids[0]), 'SIGKILL');
    await program.find(({ method, message }) => method === 'notify' && String(message).includes('is started again'));
    await expect.poll(() => mcp(program), { timeout: 20_000 }).toContain('every: ready');
    expect(await call(program, 'mcp_every_echo', { message: 'two' })).toMatchObject({ isError: false });
  });

  it('is ended with the session, and with the program even when that is killed', async () => {
    configure({ every: STDIO });
    const program = start();
    await call(program, 'mcp_every_echo', { message: 'x' });
    const running = (): number =>
      fs
        .readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          try {
            return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(sandbox.home);
          } catch {
            return false;
          }
        }).length;
    expect(running()).toBeGreaterThan(1);
    program.kill('SIGKILL');
    await program.exited;
    await expect.poll(running, { timeout: 20_000 }).toBe(0);
  });
});

describe('an MCP server over HTTP', { timeout: 60_000 }, () => {
  it('has its tools offered and called, and is found again after it was away', async () => {
    const { url, port } = await startHttp();
    configure({ web: { url } });
    const program = start();
    expect(textOf(await call(program, 'mcp_web_echo', { message: 'over the wire' }))).toContain('over the wire');
    server?.kill('SIGKILL');
    expect(await call(program, 'mcp_web_echo', { message: 'lost' })).toMatchObject({ isError: true });
    server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    await expect.poll(() => mcp(program), { timeout: 30_000 }).toContain('web: ready');
    expect(await call(program, 'mcp_web_echo', { message: 'back' })).toMatchObject({ isError: false });
  });
});

describe('MCP servers that are no good', { timeout: 60_000 }, () => {
  it('one that hangs holds up the first prompt five seconds at most, and the others not at all', async () => {
    fs.writeFileSync(path.join(sandbox.cwd, 'hanging.mjs'), HANGING);
    configure({ hangs: { command: process.execPath, args: ['hanging.mjs'] }, every: STDIO });
    const program = start();
    expect(await call(program, 'mcp_every_echo', { message: 'here' })).toMatchObject({ isError: false });
    expect(await mcp(program)).toContain('hangs: starting');
  });

  it('one that can not be started is named, with what to do, and nothing else suffers', async () => {
    configure({ none: { command: '/no/such/program' }, every: STDIO });
    const program = start();
    const notice = await program.find(({ method, message }) => method === 'notify' && message.includes('"none"'));
    expect(notice.message).toMatch(/not available: .*no\/such\/program/);
    expect(await call(program, 'mcp_every_echo', { message: 'here' })).toMatchObject({ isError: false });
  });

  it.each<[string, string, RegExp]>([
    ['a file that is no JSON', '{"mcpServers":', /mcp\.json is no JSON/],
    ['no servers in it', '{}', /has no object "mcpServers"/],
    ['neither command nor url', '{"mcpServers":{"a":{}}}', /server "a": it needs "command" or "url"/],
    ['both', '{"mcpServers":{"a":{"command":"x","url":"http://x"}}}', /server "a": it needs "command" or "url", one of them/],
    ['a wrong type', '{"mcpServers":{"a":{"command":"x","args":"y"}}}', /server "a": "args" must be a list/],
    ['an address of another kind', '{"mcpServers":{"a":{"url":"ftp://x"}}}', /server "a": "url" must be an http/],
    ['a variable that is not set', '{"mcpServers":{"a":{"command":"${NOT_SET_HERE}"}}}', /server "a": .*NOT_SET_HERE/],
  ])('a configuration with %s is told, and named', async (_what, text, said) => {
    fs.writeFileSync(path.join(sandbox.agentDir, 'mcp.json'), text);
    const program = start();
    expect((await program.find(({ method }) => method === 'notify')).message).toMatch(said);
  });

  it('of a project are not started before somebody trusts it', async () => {
    configure({ theirs: STDIO }, path.join(sandbox.cwd, '.mcp.json'));
    const untrusted = start();
    expect((await untrusted.find(({ method }) => method === 'notify')).message).toMatch(
      /\.mcp\.json is not read: the project is not trusted/,
    );
    expect((await toolNames(untrusted)).filter((name) => name.startsWith('mcp_'))).toEqual([]);
    await untrusted.end();
    const trusted = start({}, '--approve');
    expect(await call(trusted, 'mcp_theirs_echo', { message: 'x' })).toMatchObject({ isError: false });
  });

  it('get their secrets, and say none of them', async () => {
    configure({ every: { ...STDIO, env: { SERVICE_TOKEN: '${MY_SERVICE_TOKEN}' } } });
    const program = start({ MY_SERVICE_TOKEN: 'canary-of-mcp-5512', PI_LOG: 'debug' });
    const end = await call(program, await toolNamed(program, 'env'), {});
    expect(textOf(end)).toContain('SERVICE_TOKEN');
    await program.end();
    expect(program.stderr + JSON.stringify(program.records)).not.toContain('canary-of-mcp-5512');
  });
});
