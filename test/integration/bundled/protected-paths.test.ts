import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundledWorld, textOf } from './support.js';

let world: BundledWorld;
beforeEach(async () => {
  world = await BundledWorld.create(['protected-paths'], {
    '.env': 'KEY=1\n',
    '.env.example': 'KEY=\n',
    'src/main.ts': 'x\n',
    'keys/server.pem': 'pem\n',
    'vault/a/b.txt': 'b\n',
  });
});
afterEach(() => world.remove());

const configure = (content: string, file = path.join(world.sandbox.agentDir, 'protected-paths.json')): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
};

describe('protected paths', { timeout: 60_000 }, () => {
  it.each<[string, object]>([
    ['write', { path: '.env', content: 'x' }],
    ['edit', { path: './src/../.env', edits: [{ oldText: 'KEY=1', newText: 'KEY=2' }] }],
    ['write', { path: 'keys/server.pem', content: 'x' }],
    ['write', { path: '.git/hooks/pre-commit', content: 'x' }],
    ['write', { path: '~/.ssh/authorized_keys', content: 'x' }],
    ['write', { path: 'link', content: 'x' }],
    ['bash', { command: 'echo x > .env' }],
    ['bash', { command: 'cat src/main.ts >> ".env"' }],
    ['bash', { command: 'true && rm -f ./.env' }],
    ['bash', { command: 'sed -i s/1/2/ .env' }],
    ['bash', { command: 'bash -c "mv .env /tmp"' }],
  ])('refuses %s %j', async (tool, args) => {
    fs.symlinkSync('.env', path.join(world.sandbox.cwd, 'link'));
    const pi = world.start('--no-session');
    const end = await world.call(pi, tool, args);
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toContain('is protected');
    expect(fs.readFileSync(path.join(world.sandbox.cwd, '.env'), 'utf8')).toBe('KEY=1\n');
  });

  it('lets everything be read, and everything else be changed', async () => {
    const pi = world.start('--no-session');
    for (const [tool, args] of [
      ['read', { path: '.env' }],
      ['bash', { command: 'cat .env | grep KEY' }],
      ['write', { path: '.env.example', content: 'y' }],
      ['write', { path: 'src/main.ts', content: 'y' }],
      ['bash', { command: 'rm src/main.ts' }],
    ] as const)
      expect(await world.call(pi, tool, args)).toMatchObject({ isError: false });
  });

  it('protects what the settings name, and shows why', async () => {
    configure('{"paths": ["vault/**", "!.env"]}');
    const pi = world.start('--no-session');
    expect(textOf(await world.call(pi, 'write', { path: 'vault/a/b.txt', content: 'x' }))).toContain('"vault/**"');
    expect(await world.call(pi, 'write', { path: '.env', content: 'x' })).toMatchObject({ isError: false });
    expect(await world.says(pi, '/protected vault/a/b.txt')).toBe('vault/a/b.txt is protected by "vault/**"');
    expect(await world.says(pi, '/protected src/main.ts')).toBe('src/main.ts may be changed');
    expect(await world.says(pi, '/protected')).toContain('vault/**');
  });

  it('does not let a project take protection away before somebody trusts it', async () => {
    configure('{"defaults": false}', path.join(world.sandbox.cwd, '.pi/protected-paths.json'));
    const untrusted = world.start('--no-session');
    expect(await world.call(untrusted, 'write', { path: '.env', content: 'x' })).toMatchObject({ isError: true });
    const trusted = world.start('--no-session', '--approve');
    expect(await world.call(trusted, 'write', { path: '.env', content: 'x' })).toMatchObject({ isError: false });
  });

  it('names a settings file that it can not read, and protects what is protected anyway', async () => {
    configure('{"paths": ');
    const pi = world.start('--no-session');
    expect((await pi.find(({ method }) => method === 'notify')).message).toMatch(/protected-paths\.json is no JSON/);
    expect(await world.call(pi, 'write', { path: '.env', content: 'x' })).toMatchObject({ isError: true });
  });
});
