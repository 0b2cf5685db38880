import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageWorld, SKILL, simplePackage } from './support.js';

let world: PackageWorld;

beforeEach(async () => {
  world = await PackageWorld.open();
});
afterEach(() => world.close());

/** A repository under the name of a host, as git's own configuration can map it. */
function served(name: string, folder: string): NodeJS.ProcessEnv {
  const file = `${folder}.gitconfig`;
  fs.writeFileSync(file, `[url "file://${folder}"]\n\tinsteadOf = https://git.example/${name}\n`);
  return { GIT_CONFIG_GLOBAL: file };
}

describe('pi install git:', { timeout: 60_000 }, () => {
  it('clones to the folder the existing program uses, and follows the repository', async () => {
    const repo = world.repository('skills', { 'skills/one/SKILL.md': SKILL('one') });
    const env = served('team/skills', repo);
    const first = world.git(repo, 'rev-parse', 'HEAD').slice(0, 8);
    const { code, stdout } = await world.run(['install', 'git:git.example/team/skills'], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Installed git:git.example/team/skills ${first}: 1 skill\n` });
    expect(fs.existsSync(world.agentFile('git/git.example/team/skills/skills/one/SKILL.md'))).toBe(true);
    expect(await world.commands()).toEqual(['skill:one']);
    expect((await world.run(['update'], env)).stdout).toBe('Everything is up to date\n');
    const second = world.commit(repo, { 'skills/two/SKILL.md': SKILL('two') }).slice(0, 8);
    expect((await world.run(['update'], env)).stdout).toBe(`Updated git:git.example/team/skills ${first} -> ${second}\n`);
    expect(await world.commands()).toEqual(['skill:one', 'skill:two']);
    expect(await world.run(['remove', 'https://git.example/team/skills'], env)).toMatchObject({ code: 0 });
    expect(await world.commands()).toEqual([]);
    expect(world.lock().git).toEqual({});
  });

  it('G37: pins a ref to its commit, with the digests of what it depends on', async () => {
    world.registry.publish({ manifest: { name: 'dep', version: '1.0.0' }, files: { 'index.js': '1' } });
    const manifest = {
      name: 'gitty',
      dependencies: { dep: '^1.0.0', '@earendil-works/pi-ai': '*' },
      scripts: { postinstall: 'touch ran', prepare: 'touch ran' },
    };
    const repo = world.repository('gitty', { 'package.json': JSON.stringify(manifest), 'prompts/v1.md': 'one\n' });
    const tagged = world.git(repo, 'rev-parse', 'HEAD');
    world.git(repo, 'tag', '-a', 'v1', '-m', 'x');
    world.commit(repo, { 'prompts/v2.md': 'two\n' });
    const env = served('gitty', repo);
    expect((await world.run(['install', 'https://git.example/gitty@v1'], env)).code).toBe(0);
    expect(await world.commands()).toEqual(['v1']);
    const place = world.agentFile('git/git.example/gitty');
    expect(fs.existsSync(`${place}/ran`)).toBe(false);
    expect(fs.readdirSync(`${place}/node_modules`).filter((name) => !name.startsWith('.'))).toEqual(['dep']);
    expect(fs.readFileSync(`${place}/package.json`, 'utf8')).toBe(JSON.stringify(manifest));
    const entry = world.lock().git['git.example/gitty'];
    expect(entry).toMatchObject({ url: 'https://git.example/gitty', ref: 'v1', commit: tagged });
    expect(entry.npm['node_modules/dep']).toMatchObject({ version: '1.0.0', integrity: expect.stringMatching(/^sha512-/) });
    // The lock, not the newest of everything, says what is installed again.
    world.registry.publish({ manifest: { name: 'dep', version: '1.9.0' }, files: { 'index.js': '2' } });
    fs.rmSync(world.agentFile('git'), { recursive: true });
    expect((await world.run(['install', 'https://git.example/gitty@v1'], env)).code).toBe(0);
    expect(JSON.parse(fs.readFileSync(`${place}/node_modules/dep/package.json`, 'utf8')).version).toBe('1.0.0');
    expect((await world.run(['install', 'https://git.example/gitty#main'], env)).code).toBe(0);
    expect(world.settings().packages).toEqual(['https://git.example/gitty#main']);
    expect(await world.commands()).toEqual(['v1', 'v2']);
  });

  it('takes a commit that is on no branch’s tip, and one by the first digits of its id', async () => {
    const repo = world.repository('deep', { 'prompts/a.md': 'a\n' });
    const old = world.git(repo, 'rev-parse', 'HEAD');
    world.commit(repo, { 'prompts/b.md': 'b\n' });
    for (const ref of [old, old.slice(0, 10)]) {
      expect((await world.run(['install', `git:file://${repo}#${ref}`])).code).toBe(0);
      expect(await world.commands()).toEqual(['a']);
    }
    expect((await world.run(['update'])).stdout).toBe('Everything is up to date\n');
  });

  it('says what was not found, and keeps what is there', async () => {
    const repo = world.repository('kept', { 'prompts/a.md': 'a\n' });
    await world.run(['install', `git:file://${repo}`]);
    const before = world.installed();
    const ref = await world.run(['install', `git:file://${repo}#no-such-branch`]);
    expect(ref.code).toBe(1);
    expect(ref.stderr).toContain('was not fetched: there is no such package, version, repository or ref');
    const missing = await world.run(['install', `git:file://${repo}-gone`]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('was not fetched');
    const offline = await world.run(['install', 'https://git.example/x/y'], { PI_OFFLINE: '1' });
    expect(offline).toMatchObject({ code: 1, stderr: expect.stringContaining('the network may not be used') });
    expect(world.installed()).toEqual(before);
  });

  it('never takes a source for an option or a command', async () => {
    for (const source of [
      'git:--upload-pack=touch x',
      'git:ext::sh -c touch% x',
      'https://h/../../x',
      'git:h/r@--x',
      'npm:--prefix',
      'npm:../x',
      'npm:x@file:.',
    ]) {
      const { code, stderr } = await world.run(['install', '--', source]);
      expect({ source, code, stderr }).toEqual({ source, code: 2, stderr: expect.stringContaining('names no package') });
    }
  });
});

describe('a package in a folder of this machine', { timeout: 60_000 }, () => {
  it('is named relative to the settings, loaded from where it is, and never removed', async () => {
    world.write('mine/prompts/local.md', 'local\n');
    world.write('mine/skills/SKILL.md', SKILL('mine'));
    const { code, stdout } = await world.run(['install', './mine']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Installed ./mine: 1 skill, 1 prompt\n' });
    expect(world.settings().packages).toEqual(['../../../work/mine']);
    expect((await world.run(['install', `${world.sandbox.cwd}/mine`])).code).toBe(0);
    expect(world.settings().packages).toEqual(['../../../work/mine']);
    expect(await world.commands()).toEqual(['local', 'skill:mine']);
    expect((await world.run(['list'])).stdout).toBe(`User packages:\n  ../../../work/mine\n    ${world.sandbox.cwd}/mine\n`);
    expect((await world.run(['remove', '../../../work/mine'])).code).toBe(0);
    expect(world.settings().packages).toEqual([]);
    expect(fs.existsSync(`${world.sandbox.cwd}/mine/prompts/local.md`)).toBe(true);
  });

  it('that is not there is refused, with the npm package of that name as a hint', async () => {
    const { code, stderr } = await world.run(['install', 'some-name']);
    expect(code).toBe(1);
    expect(stderr).toContain('for the npm package of that name: npm:some-name');
    expect(world.settings().packages).toBeUndefined();
  });
});

describe('-e', { timeout: 60_000 }, () => {
  it('loads npm and git packages and folders for one run, before everything else, and leaves the settings alone', async () => {
    world.registry.publish({
      manifest: { name: 'trial', version: '1.0.0' },
      files: {
        'prompts/same.md': 'of trial\n',
        'extensions/hello.js': `export default (pi) => pi.registerCommand('hello', { handler() {} });\n`,
      },
    });
    const repo = world.repository('trial', { 'prompts/git.md': 'git\n' });
    world.write('folder/prompts/folder.md', 'folder\n');
    fs.mkdirSync(world.agentFile('prompts'));
    fs.writeFileSync(world.agentFile('prompts/same.md'), 'of the user\n');
    const args = ['-e', 'npm:trial@1.0.0', '-e', `git:file://${repo}`, '-e', './folder'];
    const { commands } = await world.session(args);
    expect(commands.map(({ name }) => name)).toEqual(['hello', 'same', 'git', 'folder']);
    expect(commands[1].sourceInfo).toMatchObject({ source: 'npm:trial@1.0.0', scope: 'temporary', origin: 'package' });
    expect(world.settings().packages).toBeUndefined();
    expect(await world.commands()).toEqual(['same']);
    // What was fetched once is there without a network.
    await world.registry.close();
    expect(await world.commands(args, { PI_OFFLINE: '1' })).toEqual(['hello', 'same', 'git', 'folder']);
  });

  it('that can not be fetched is reported, and the run goes on', async () => {
    const { commands, diagnostics } = await world.session(['-e', 'npm:not-there']);
    expect(commands).toEqual([]);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        kind: 'package',
        severity: 'error',
        message: expect.stringContaining('npm:not-there was not fetched'),
      }),
    ]);
  });
});

describe('packages of a project', { timeout: 60_000 }, () => {
  it('go to .pi with -l, are ignored by git but for the lock, and need trust', async () => {
    world.git(world.sandbox.cwd, 'init', '-q');
    world.registry.publish(simplePackage('ours', '1.0.0'));
    const { code, stderr } = await world.run(['install', '-l', 'npm:ours']);
    expect(code).toBe(0);
    expect(stderr).toContain('sessions do not load it yet');
    expect(world.git(world.sandbox.cwd, 'status', '--porcelain', '-uall').split('\n')).toEqual(
      ['?? .pi/npm/.gitignore', '?? .pi/packages-lock.json', '?? .pi/settings.json'].map((line, at) =>
        at === 0 ? line.trimStart() : line,
      ),
    );
    expect(await world.commands()).toEqual([]);
    const refused = await world.run(['install', '-l', 'npm:ours']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not trusted, so its settings are not read and not changed'),
    });
    await world.run(['trust']);
    expect(await world.commands()).toEqual(['ours-prompt', 'skill:ours-skill']);
    expect((await world.run(['list'])).stdout).toContain('Project packages:\n  npm:ours\n');
  });

  it('are fetched in the locked version when a colleague opens the project, and a changed lock is followed', async () => {
    world.registry.publish(simplePackage('ours', '1.0.0'));
    await world.run(['install', '-l', 'npm:ours']);
    await world.run(['trust']);
    world.registry.publish(simplePackage('ours', '2.0.0'));
    fs.rmSync(`${world.sandbox.cwd}/.pi/npm`, { recursive: true });
    const version = (): string =>
      JSON.parse(fs.readFileSync(`${world.sandbox.cwd}/.pi/npm/node_modules/ours/package.json`, 'utf8')).version;
    expect(await world.commands()).toEqual(['ours-prompt', 'skill:ours-skill']);
    expect(version()).toBe('1.0.0');
    const lockFile = `${world.sandbox.cwd}/.pi/packages-lock.json`;
    const old = fs.readFileSync(lockFile, 'utf8');
    await world.run(['update']);
    expect(version()).toBe('2.0.0');
    fs.writeFileSync(lockFile, old);
    expect(await world.commands()).toEqual(['ours-prompt', 'skill:ours-skill']);
    expect(version()).toBe('1.0.0');
  });

  it('G37: are covered by a pin, which is made anew when a session fetches what the pinned files name', async () => {
    world.registry.publish(simplePackage('ours', '1.0.0'));
    await world.run(['install', '-l', 'npm:ours']);
    fs.rmSync(`${world.sandbox.cwd}/.pi/npm`, { recursive: true });
    await world.run(['trust', '--pin']);
    for (const _ of [1, 2]) expect(await world.commands()).toEqual(['ours-prompt', 'skill:ours-skill']);
    fs.appendFileSync(`${world.sandbox.cwd}/.pi/npm/node_modules/ours/prompts/ours-prompt.md`, 'changed\n');
    const { commands, diagnostics } = await world.session();
    expect(commands).toEqual([]);
    expect(diagnostics[0]).toMatchObject({ kind: 'trust', message: expect.stringContaining('changed: .pi/npm/') });
  });

  it('win over the same package of the user, or change what it loads with autoload: false', async () => {
    world.registry.publish(simplePackage('both', '1.0.0'));
    await world.run(['install', 'npm:both']);
    world.write(
      '.pi/settings.json',
      JSON.stringify({ packages: [{ source: 'npm:both', autoload: false, skills: ['-skills/both-skill'] }] }),
    );
    await world.run(['trust']);
    expect(await world.commands()).toEqual(['both-prompt']);
    world.write('.pi/settings.json', JSON.stringify({ packages: [{ source: 'npm:both', prompts: [] }] }));
    const { commands } = await world.session();
    expect(commands.map(({ name, sourceInfo }) => [name, sourceInfo.scope])).toEqual([['skill:both-skill', 'project']]);
  });
});
