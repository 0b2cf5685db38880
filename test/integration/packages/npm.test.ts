import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageWorld, simplePackage } from './support.js';

let world: PackageWorld;

beforeEach(async () => {
  world = await PackageWorld.open();
});
afterEach(() => world.close());

const installedAt = (name: string): string => world.agentFile(`npm/node_modules/${name}`);

describe('pi install npm:', { timeout: 60_000 }, () => {
  it('installs where the existing program does, writes the settings, and sessions load it', async () => {
    world.registry.publish(simplePackage('@scope/tools', '1.2.0', { dependencies: { helper: '^1.0.0' } }));
    world.registry.publish({ manifest: { name: 'helper', version: '1.4.0' }, files: { 'index.js': '' } });
    const { code, stdout, stderr } = await world.run(['install', 'npm:@scope/tools']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Installed npm:@scope/tools 1.2.0: 1 skill, 1 prompt\n' });
    expect(stderr).toBe('pi install: installing npm:@scope/tools\n');
    expect(world.settings().packages).toEqual(['npm:@scope/tools']);
    expect(fs.existsSync(installedAt('helper/index.js'))).toBe(true);
    const { commands } = await world.session();
    const origin = { source: 'npm:@scope/tools', scope: 'user', origin: 'package', baseDir: installedAt('@scope/tools') };
    expect(commands.map(({ name, sourceInfo }) => ({ name, ...sourceInfo }))).toEqual([
      { name: 'scopetools-prompt', ...origin, path: installedAt('@scope/tools/prompts/scopetools-prompt.md') },
      { name: 'skill:scopetools-skill', ...origin, path: installedAt('@scope/tools/skills/scopetools-skill/SKILL.md') },
    ]);
  });

  it('G37: runs no lifecycle script unless asked to', async () => {
    const mark = path.join(world.sandbox.root, 'mark');
    const scripts = { preinstall: `echo pre >> ${mark}`, install: `echo in >> ${mark}`, postinstall: `echo post >> ${mark}` };
    world.registry.publish(simplePackage('scripted', '1.0.0', { scripts, dependencies: { deeper: '*' } }));
    world.registry.publish({ manifest: { name: 'deeper', version: '1.0.0', scripts: { postinstall: `echo deep >> ${mark}` } } });
    expect((await world.run(['install', 'npm:scripted'])).code).toBe(0);
    expect(fs.existsSync(mark)).toBe(false);
    expect((await world.run(['remove', 'npm:scripted'])).code).toBe(0);
    expect((await world.run(['install', 'npm:scripted', '--allow-scripts'])).code).toBe(0);
    expect(fs.readFileSync(mark, 'utf8').trim().split('\n').sort()).toEqual(['deep', 'in', 'post', 'pre']);
  });

  it('G37: locks the exact version and digest of everything, and refuses other content for them', async () => {
    world.registry.publish(simplePackage('locked', '1.0.0', { dependencies: { inner: '^1.0.0' } }));
    world.registry.publish({ manifest: { name: 'inner', version: '1.0.0' }, files: { 'index.js': 'good' } });
    await world.run(['install', 'npm:locked']);
    const { npm } = world.lock();
    for (const name of ['locked', 'inner']) {
      expect(npm[`node_modules/${name}`]).toMatchObject({ version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) });
    }
    // The registry has other content for a version that was locked; the installed copy and npm's cache are gone.
    world.registry.publish({ manifest: { name: 'inner', version: '1.0.0' }, files: { 'index.js': 'evil' } });
    world.registry.publish({ manifest: { name: 'inner', version: '1.1.0' }, files: { 'index.js': 'newer' } });
    fs.rmSync(world.agentFile('npm'), { recursive: true });
    fs.rmSync(world.env.npm_config_cache ?? '', { recursive: true });
    const { code, stderr } = await world.run(['install', 'npm:locked']);
    expect(code).toBe(1);
    expect(stderr).toContain('its content is not what the lock file or the registry promises');
    expect(fs.existsSync(installedAt('inner'))).toBe(false);
    expect(world.lock().npm).toEqual(npm);
  });

  it('installs what the lock says, not what is newest, when a package is missing', async () => {
    world.registry.publish(simplePackage('steady', '1.0.0', { dependencies: { inner: '^1.0.0' } }));
    world.registry.publish({ manifest: { name: 'inner', version: '1.0.0' } });
    await world.run(['install', 'npm:steady']);
    world.registry.publish(simplePackage('steady', '2.0.0', { dependencies: { inner: '^1.0.0' } }));
    world.registry.publish({ manifest: { name: 'inner', version: '1.9.0' } });
    fs.rmSync(world.agentFile('npm'), { recursive: true });
    // A session fetches what its settings name.
    const { commands, stderr } = await world.session();
    expect(commands.map(({ name }) => name)).toEqual(['steady-prompt', 'skill:steady-skill']);
    expect(stderr).toContain('fetching npm:steady');
    const versionOf = (name: string): string => JSON.parse(fs.readFileSync(installedAt(`${name}/package.json`), 'utf8')).version;
    expect([versionOf('steady'), versionOf('inner')]).toEqual(['1.0.0', '1.0.0']);
  });

  it('refuses a tarball that is not what the registry promises, and changes nothing', async () => {
    world.registry.publish(simplePackage('good', '1.0.0'));
    await world.run(['install', 'npm:good']);
    const before = world.installed();
    world.registry.publish(simplePackage('bad', '1.0.0'), `sha512-${Buffer.alloc(64).toString('base64')}`);
    const { code, stderr } = await world.run(['install', 'npm:bad']);
    expect(code).toBe(1);
    expect(stderr).toContain('npm:bad was not fetched: its content is not what');
    expect(world.installed()).toEqual(before);
  });

  it('fetches no package that the host serves, as a peer or as a dependency', async () => {
    const host = { '@earendil-works/pi-coding-agent': '^0.84.0', '@mariozechner/pi-tui': '*' };
    const peers = { '@earendil-works/pi-ai': '*', '@sinclair/typebox': '*', typebox: '*' };
    world.registry.publish(simplePackage('guest', '1.0.0', { dependencies: { ...host, between: '*' }, peerDependencies: peers }));
    world.registry.publish({ manifest: { name: 'between', version: '1.0.0', dependencies: host } });
    const { code, stderr } = await world.run(['install', 'npm:guest']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(fs.readdirSync(world.agentFile('npm/node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'between',
      'guest',
    ]);
    expect(world.registry.requests.filter((asked) => /pi-|typebox/.test(asked))).toEqual([]);
    expect(Object.keys(world.lock().npm).sort()).toEqual(['node_modules/between', 'node_modules/guest']);
    // A second change works on what the first left.
    world.registry.publish(simplePackage('other', '1.0.0'));
    expect((await world.run(['install', 'npm:other'])).code).toBe(0);
    expect((await world.run(['remove', 'npm:guest'])).code).toBe(0);
    expect(Object.keys(world.lock().npm)).toEqual(['node_modules/other']);
  });

  it('installs other peers, and removes them when nobody needs them any more', async () => {
    world.registry.publish(simplePackage('needs', '1.0.0', { peerDependencies: { friend: '^2.0.0' } }));
    world.registry.publish({ manifest: { name: 'friend', version: '2.1.0' } });
    world.registry.publish({ manifest: { name: 'friend', version: '3.0.0' } });
    await world.run(['install', 'npm:needs']);
    expect(world.lock().npm['node_modules/friend'].version).toBe('2.1.0');
    await world.run(['remove', 'npm:needs']);
    expect(world.lock().npm).toEqual({});
    expect(fs.existsSync(installedAt('friend'))).toBe(false);
  });

  it('names what does not exist, and leaves no trace of the attempt', async () => {
    const before = world.installed();
    const missing = await world.run(['install', 'npm:no-such-package']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('npm:no-such-package was not fetched: there is no such package');
    const version = await world.run(['install', 'npm:no-such-package@9.9.9']);
    expect(version.code).toBe(1);
    expect(world.installed()).toEqual(before);
    expect(fs.readdirSync(world.sandbox.agentDir).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it('says that npm is missing', async () => {
    const { code, stderr } = await world.run(['install', 'npm:x'], { PATH: world.sandbox.root });
    expect(code).toBe(1);
    expect(stderr).toContain("npm can't be started, which is needed to fetch packages");
  });

  it('runs npm by the setting npmCommand', async () => {
    world.registry.publish(simplePackage('wrapped', '1.0.0'));
    const log = path.join(world.sandbox.root, 'wrapper.log');
    const wrapper = path.join(world.sandbox.root, 'wrapper.sh');
    fs.writeFileSync(wrapper, `echo "$@" >> ${log}\nshift\nexec "$@"\n`);
    fs.writeFileSync(world.agentFile('settings.json'), JSON.stringify({ npmCommand: ['sh', wrapper, '--', 'npm'] }));
    expect((await world.run(['install', 'npm:wrapped'])).code).toBe(0);
    expect(fs.readFileSync(log, 'utf8')).toMatch(/^-- npm install wrapped@latest /);
  });
});

describe('without a network', { timeout: 60_000 }, () => {
  it('installed packages work, and installing says clearly why it can not', async () => {
    world.registry.publish(simplePackage('here', '1.0.0'));
    await world.run(['install', 'npm:here']);
    await world.registry.close();
    expect(await world.commands()).toEqual(['here-prompt', 'skill:here-skill']);
    const before = world.installed();
    const { code, stderr } = await world.run(['install', 'npm:elsewhere']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'npm:elsewhere was not fetched: there is no way to its server; packages that are installed go on working',
    );
    expect(world.installed()).toEqual(before);
    const removed = await world.run(['remove', 'npm:here']);
    expect(removed).toMatchObject({ code: 0, stdout: 'Removed npm:here\n' });
  });

  it('PI_OFFLINE and --offline use nothing but npm’s cache', async () => {
    world.registry.publish(simplePackage('cached', '1.0.0'));
    await world.run(['install', 'npm:cached']);
    await world.run(['remove', 'npm:cached']);
    const asked = world.registry.requests.length;
    expect((await world.run(['install', 'npm:cached'], { PI_OFFLINE: '1' })).code).toBe(0);
    const { code, stderr } = await world.run(['install', 'npm:other', '--offline']);
    expect(code).toBe(1);
    expect(stderr).toContain('the network may not be used (--offline or PI_OFFLINE), and npm has no copy of it');
    expect(world.registry.requests.length).toBe(asked);
  });

  it('a session starts without a package it can not fetch, and a diagnostic names it', async () => {
    fs.writeFileSync(world.agentFile('settings.json'), JSON.stringify({ packages: ['npm:absent'] }, null, 2));
    const asked = world.registry.requests.length;
    const offline = await world.session([], { PI_OFFLINE: '1' });
    expect(world.registry.requests.length).toBe(asked);
    const named = { severity: 'warning', path: world.agentFile('settings.json'), line: 3 };
    expect(offline.diagnostics).toContainEqual(
      expect.objectContaining({
        ...named,
        message: expect.stringContaining('the package npm:absent is not there: run "pi install npm:absent"'),
      }),
    );
    const online = await world.session();
    expect(online.diagnostics).toContainEqual(
      expect.objectContaining({
        kind: 'package',
        message: expect.stringContaining('npm:absent was not fetched: there is no such package'),
      }),
    );
  });
});

describe('pi update', { timeout: 60_000 }, () => {
  it('fetches what is newest, and leaves exact versions alone', async () => {
    for (const name of ['free', 'fixed', 'ranged']) world.registry.publish(simplePackage(name, '1.0.0'));
    for (const source of ['npm:free', 'npm:fixed@1.0.0', 'npm:ranged@^1.0.0']) await world.run(['install', source]);
    for (const name of ['free', 'fixed', 'ranged'])
      for (const version of ['1.5.0', '2.0.0']) world.registry.publish(simplePackage(name, version));
    const { code, stdout, stderr } = await world.run(['update']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Updated npm:free 1.0.0 -> 2.0.0\nUpdated npm:ranged@^1.0.0 1.0.0 -> 1.5.0\n',
    });
    expect(stderr).toContain('npm:fixed@1.0.0 names a version and stays');
    expect((await world.run(['update'])).stdout).toBe('Everything is up to date\n');
    expect(world.settings().packages).toEqual(['npm:free', 'npm:fixed@1.0.0', 'npm:ranged@^1.0.0']);
  });

  it('updates one package by any of its sources', async () => {
    for (const name of ['one', 'two']) world.registry.publish(simplePackage(name, '1.0.0'));
    for (const name of ['one', 'two']) await world.run(['install', `npm:${name}`]);
    for (const name of ['one', 'two']) world.registry.publish(simplePackage(name, '1.1.0'));
    expect((await world.run(['update', 'npm:two'])).stdout).toBe('Updated npm:two 1.0.0 -> 1.1.0\n');
    expect(world.lock().npm['node_modules/one'].version).toBe('1.0.0');
    expect((await world.run(['update', 'npm:three'])).code).toBe(1);
  });
});

describe('what another program installed', { timeout: 60_000 }, () => {
  it('is loaded, listed and kept when more is installed', async () => {
    world.registry.publish(simplePackage('older', '1.0.0'));
    const store = world.agentFile('npm');
    fs.mkdirSync(store);
    const env = { ...process.env, ...world.env };
    // Not the synchronous one: the registry answers from this process.
    await promisify(execFile)('npm', ['install', 'older@1.0.0', '--prefix', store, '--legacy-peer-deps'], { env });
    fs.writeFileSync(world.agentFile('settings.json'), JSON.stringify({ packages: ['npm:older'] }));
    expect(await world.commands()).toEqual(['older-prompt', 'skill:older-skill']);
    world.registry.publish(simplePackage('older', '2.0.0'));
    world.registry.publish(simplePackage('newer', '1.0.0'));
    expect((await world.run(['install', 'npm:newer'])).code).toBe(0);
    expect(world.lock().npm['node_modules/older'].version).toBe('1.0.0');
    expect((await world.commands()).sort()).toEqual(['newer-prompt', 'older-prompt', 'skill:newer-skill', 'skill:older-skill']);
  });
});
