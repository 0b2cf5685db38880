import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeOptions, Probing } from './support.js';

const open: Probing[] = [];
const probing = (options: ProbeOptions): Probing => {
  const made = new Probing({ level: 'isolated', ...options });
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const PROBES = {
  pid: 'return process.pid',
  root: `const fs = await import('node:fs'); try { return fs.readdirSync('/'); } catch (e: any) { return e.code; }`,
  data: `const fs = await import('node:fs'); fs.writeFileSync(process.env.HOME + '/note', 'kept'); return fs.readFileSync(process.env.HOME + '/note', 'utf8')`,
  nets: "return Object.keys((await import('node:os')).networkInterfaces()).filter((name) => name !== 'lo')",
  read: "return (await import('node:fs')).readFileSync(process.cwd() + '/docs/a.md', 'utf8')",
  link: "return (await import('node:fs')).readFileSync(process.cwd() + '/docs/link', 'utf8')",
  write: "(await import('node:fs')).writeFileSync(process.cwd() + '/docs/b.md', 'x')",
  kill: `try { process.kill(${process.pid}, 0); return 'there'; } catch (e: any) { return e.code; }`,
  package: "return typeof (await import('typebox' as any)).Type.Object",
};
const GRANTS = ['ui', 'commands', 'fs:read:$CWD/docs'];

const folders: string[] = [];
function mkTemp(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-bin-'));
  folders.push(folder);
  return folder;
}

/** A folder with all programs of the system but one. */
function programsWithout(name: string): string {
  const folder = mkTemp();
  for (const bin of ['/usr/sbin', '/usr/bin', '/sbin', '/bin'])
    for (const file of readdirSync(bin)) {
      if (file === name) continue;
      try {
        symlinkSync(path.join(bin, file), path.join(folder, file));
      } catch {
        // The same name in an earlier folder wins.
      }
    }
  return folder;
}

async function keepsItsPromise(one: Probing): Promise<void> {
  symlinkSync('/etc/passwd', path.join(one.sandbox.cwd, 'docs/link'));
  expect(await one.try('pid')).toBeLessThan(20);
  expect(await one.try('nets')).toEqual([]);
  expect(await one.try('kill')).toBe('ESRCH');
  expect(await one.try('data')).toBe('kept');
  expect(await one.try('read')).toBe('a');
  // Node's fence follows links; what is not mounted is not there.
  expect(await one.try('link')).toMatchObject({ error: 'ENOENT' });
  expect((await one.try('write')).error).toMatch(/ERR_ACCESS_DENIED|EROFS/);
  expect(await one.try('package')).toBe('function');
  expect(await one.info()).toMatchObject({ level: 'isolated', state: 'ready' });
}

describe('an isolated extension', () => {
  it('sees nothing of the disk but what is granted, with bubblewrap', async () => {
    await keepsItsPromise(probing({ probes: PROBES, grants: GRANTS, files: { 'docs/a.md': 'a' } }));
  });

  it('sees nothing of the disk but what is granted, where only unshare is there', async () => {
    const folder = programsWithout('bwrap');
    await keepsItsPromise(probing({ probes: PROBES, grants: GRANTS, files: { 'docs/a.md': 'a' }, env: { PATH: folder } }));
  });

  it('is refused, naming the package to install, where the system has neither; others load', async () => {
    const empty = mkTemp();
    symlinkSync(process.execPath, path.join(empty, 'node'));
    const one = probing({
      probes: PROBES,
      env: { PATH: empty },
      others: {
        neighbour: `export default (pi: any) => { pi.registerCommand('hello', { description: '', handler: async (_: string, ctx: any) => ctx.ui.notify('here') }); };`,
      },
    });
    const told = await one.pi.find((record) => record.type === 'extension_error');
    expect(told.error).toContain('Debian package "bubblewrap"');
    expect(told.extensionPath).toBe(one.file);
    expect(await one.info()).toMatchObject({ state: 'failed', restarts: 0 });
    one.pi.send({ type: 'prompt', message: '/hello' });
    await one.pi.find((record) => record.message === 'here');
  });
});

describe('a restricted extension on a system without namespaces', () => {
  it('runs, and the user is told once that the network is best effort', async () => {
    const empty = mkTemp();
    symlinkSync(process.execPath, path.join(empty, 'node'));
    const one = probing({ level: 'restricted', probes: PROBES, env: { PATH: empty } });
    expect(await one.try('pid')).toBeGreaterThan(20);
    expect(one.pi.stderr.match(/best effort/g)).toHaveLength(1);
    expect(await one.try('read')).toMatchObject({ error: 'ERR_ACCESS_DENIED' });
  });
});
