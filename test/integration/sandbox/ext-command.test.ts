import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSandbox, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

const open: Sandbox[] = [];
function place(files: Record<string, string> = {}, settings: object = {}): Sandbox {
  const sandbox = createSandbox({ files, settings });
  open.push(sandbox);
  return sandbox;
}
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

const settingsOf = ({ agentDir }: Sandbox) => JSON.parse(readFileSync(path.join(agentDir, 'settings.json'), 'utf8'));

it('pi ext trust writes what an extension may do, keeps its limits and the rest of the settings, and says what it declares', async () => {
  const sandbox = place({ 'e.ts': '// @pi-capabilities ui net:api.example.com\nexport default () => {};' });
  const file = realpathSync(path.join(sandbox.cwd, 'e.ts'));
  const limits = { heapMb: 128 };
  writeFileSync(
    path.join(sandbox.agentDir, 'settings.json'),
    JSON.stringify({ theme: 'x', extensionTrust: { overrides: { [file]: { level: 'trusted', limits } } } }),
  );
  const done = await runPi(sandbox, ['ext', 'trust', 'e.ts', 'restricted', 'ui', 'fs:read:$CWD']);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('net:api.example.com');
  expect(settingsOf(sandbox)).toEqual({
    theme: 'x',
    extensionTrust: { overrides: { [file]: { level: 'restricted', limits, grants: ['ui', 'fs:read:$CWD'] } } },
  });
  await runPi(sandbox, ['ext', 'trust', 'npm:@foo/bar', 'isolated']);
  expect(settingsOf(sandbox).extensionTrust.overrides['npm:@foo/bar']).toEqual({ level: 'isolated', grants: [] });
});

it.each([
  [['ext', 'trust', 'e.ts', 'restricted', 'uix'], 2, 'no such capability'],
  [['ext', 'trust', 'e.ts', 'safe'], 2, 'the level must be'],
  [['ext', 'trust', 'missing.ts', 'restricted'], 1, 'there is no'],
  [['ext', 'trust', 'e.ts', 'restricted', 'env:NODE_OPTIONS'], 2, 'never handed on'],
  [['ext', 'forget'], 2, 'none of check, new, test'],
])('pi %j fails with code %i', async (args, code, text) => {
  const sandbox = place({ 'e.ts': 'export default () => {};' });
  const done = await runPi(sandbox, args);
  expect(done.code).toBe(code);
  expect(done.stderr).toContain(text);
  expect(settingsOf(sandbox)).toEqual({});
});

it('pi ext learn prints what a run used and where, and with those grants the extension works', async () => {
  const sandbox = place({
    'notes.md': 'notes',
    'drive.txt': '/go\n',
    'tools/e.ts': `import { readFileSync, writeFileSync } from 'node:fs';
export default (pi: any) => {
  pi.registerCommand('go', { description: '', handler: async (_: string, ctx: any) => {
    const text = readFileSync('notes.md', 'utf8');
    writeFileSync('out.txt', process.env.GITHUB_TOKEN ?? 'none');
    const { stdout } = await pi.exec('echo', ['hi']);
    ctx.ui.notify('DONE ' + text + stdout.trim() + ctx.sessionManager.getEntries().length);
  } });
  pi.registerCommand('never', { description: '', handler: async () => {} });
};`,
  });
  const env = { GITHUB_TOKEN: 'token' };
  const learned = await runPi(sandbox, ['ext', 'learn', 'tools/e.ts', '--drive', 'drive.txt'], { env });
  expect(learned.code).toBe(0);
  for (const text of [
    'fs:read:$CWD/notes.md',
    'fs:write:$CWD/out.txt',
    'env:GITHUB_TOKEN',
    'exec:echo',
    'session:read',
    'commands',
    'ui',
  ])
    expect(learned.stdout).toContain(text);
  expect(learned.stdout).toContain('tools/e.ts:4');
  expect(learned.stdout).toMatch(/never called: \/never/);
  const command = /pi ext trust (.*)$/m.exec(learned.stdout)?.[1] ?? '';
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect((await runPi(sandbox, ['ext', 'trust', ...words])).code).toBe(0);
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '-e', path.join(sandbox.cwd, 'tools/e.ts')], env);
  pi.send({ type: 'prompt', message: '/go' });
  const notice = await pi.find((record) => record.method === 'notify');
  expect(notice.message).toMatch(/^DONE noteshi\d+$/);
  expect(readFileSync(path.join(sandbox.cwd, 'out.txt'), 'utf8')).toBe('token');
  const { data } = await pi.request({ type: 'get_extensions' });
  expect(data.extensions[0]).toMatchObject({ level: 'restricted', denied: [] });
  pi.kill();
  await pi.exited;
});
