import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../../core/app/doctor/finding.js';
import { createSandbox, runPi, type Sandbox, type SandboxOptions } from '../../support/pi-process.js';

const open: Sandbox[] = [];
function place(options: SandboxOptions = {}): Sandbox {
  const sandbox = createSandbox(options);
  open.push(sandbox);
  chmodSync(sandbox.agentDir, 0o755);
  return sandbox;
}
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

const OFFLINE = { defaultProvider: 'offline', defaultModel: 'offline' };

async function doctor(
  sandbox: Sandbox,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; of: (check: string) => Finding[] }> {
  const { code, stdout, stderr } = await runPi(sandbox, ['doctor', '--json'], { env });
  expect(stderr).toBe('');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { code, of: (check) => findings.filter((one) => one.check === check) };
}

describe('pi doctor', () => {
  it('says a line for each thing and ends with 0 where nothing fails', async () => {
    const sandbox = place({ settings: OFFLINE });
    const { code, stdout, stderr } = await runPi(sandbox, ['doctor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(6, 18).trim())).toEqual([
      'node',
      'agent folder',
      'keys',
      'settings',
      'models',
      'extensions',
      'resources',
      'sandbox',
      'cache',
      'proxy',
      'sessions',
      'disk',
    ]);
    for (const line of lines) expect(line).toMatch(/^(?:ok |warn|fail) {2,3}\S/);
  });

  it('names settings of a wrong type and settings that are no JSON, with the line', async () => {
    const wrong = place({ settings: OFFLINE });
    const file = path.join(wrong.agentDir, 'settings.json');
    writeFileSync(file, '{\n  "defaultProvider": "offline",\n  "retry": { "maxRetries": "many" }\n}');
    const typed = await doctor(wrong);
    expect(typed.code).toBe(0);
    expect(typed.of('settings')).toMatchObject([
      { status: 'warn', message: expect.stringContaining('retry.maxRetries'), fix: `correct ${file}, line 3` },
    ]);
    writeFileSync(file, '{\n  "defaultProvider": "offline",\n  oops\n}');
    const broken = await doctor(wrong);
    expect(broken.code).toBe(1);
    expect(broken.of('settings')[0]).toMatchObject({ status: 'fail', fix: `correct ${file}, line 3` });
  });

  it('fails where no model can be used, and where an extension does not load; one that loops is given up', async () => {
    const sandbox = place();
    const folder = path.join(sandbox.agentDir, 'extensions');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'fine.ts'), 'export default () => {};');
    writeFileSync(path.join(folder, 'loops.ts'), 'export default () => { for (;;); };');
    const { code, of } = await doctor(sandbox);
    expect(code).toBe(1);
    expect(of('models')).toMatchObject([{ status: 'fail', fix: expect.stringContaining('pi auth set') }]);
    expect(of('extensions')).toMatchObject([
      {
        status: 'fail',
        message: expect.stringMatching(/loops\.ts does not load: .*busy/),
        fix: expect.stringContaining('pi ext check'),
      },
    ]);
  });

  it.runIf(process.platform !== 'win32')('tells of keys that others can read as they were before it looked', async () => {
    const sandbox = place({ settings: OFFLINE });
    const keys = path.join(sandbox.agentDir, 'auth.json');
    writeFileSync(keys, '{}');
    chmodSync(keys, 0o644);
    const { code, of } = await doctor(sandbox);
    expect(code).toBe(1);
    expect(of('keys')).toMatchObject([
      { status: 'fail', message: expect.stringContaining('0644'), fix: expect.stringContaining('chmod 600') },
    ]);
    chmodSync(keys, 0o600);
    expect((await doctor(sandbox)).of('keys')).toMatchObject([{ status: 'ok' }]);
  });

  it('tells of a proxy that is none, without its password, and of a lock that a process left', async () => {
    const sandbox = place({ settings: OFFLINE });
    const sessions = path.join(sandbox.agentDir, 'sessions', 'elsewhere');
    mkdirSync(sessions, { recursive: true });
    const session = path.join(sessions, 'a.jsonl');
    writeFileSync(`${session}.lock`, 'half');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(`${session}.lock`, longAgo, longAgo);
    const { code, of } = await doctor(sandbox, { HTTPS_PROXY: 'socks5://me:secret@proxy:1' });
    expect(code).toBe(1);
    expect(of('proxy')).toMatchObject([{ status: 'fail', message: expect.stringContaining('HTTPS_PROXY') }]);
    expect(JSON.stringify(of('proxy'))).not.toContain('secret');
    expect(of('sessions')).toMatchObject([{ status: 'warn', fix: expect.stringContaining(`pi session unlock ${session}`) }]);
  });

  it('refuses what it does not know with code 2', async () => {
    expect(await runPi(place(), ['doctor', 'now'])).toMatchObject({ code: 2, stdout: '' });
  });
});
