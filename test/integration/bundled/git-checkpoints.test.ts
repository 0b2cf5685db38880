import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundledWorld } from './support.js';

let world: BundledWorld;
let session: string;

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: world.sandbox.cwd,
    encoding: 'utf8',
  }).trim();
const file = (name: string): string => path.join(world.sandbox.cwd, name);
const read = (name: string): string | undefined => (fs.existsSync(file(name)) ? fs.readFileSync(file(name), 'utf8') : undefined);

beforeEach(async () => {
  world = await BundledWorld.create(['git-checkpoints'], {
    'a.txt': 'one\n',
    'gone.txt': 'stays\n',
    '.gitignore': 'ignored.txt\n',
  });
  session = path.join(world.sandbox.root, 'session.jsonl');
});
afterEach(() => world.remove());

describe('git checkpoints', { timeout: 60_000 }, () => {
  beforeEach(() => {
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    fs.writeFileSync(file('staged.txt'), 'staged\n');
    git('add', 'staged.txt');
  });

  it('give the files back as they were when the conversation goes back, and lose nothing', async () => {
    const pi = world.start('--session', session);
    fs.writeFileSync(file('ignored.txt'), 'mine\n');
    await world.call(pi, 'write', { path: 'a.txt', content: 'two\n' });
    await world.call(pi, 'bash', { command: 'rm gone.txt; echo new > new.txt; mkdir -p d; echo x > d/deep.txt' });
    const before = { status: git('status', '--porcelain=v1'), head: git('rev-parse', 'HEAD'), stash: git('stash', 'list') };
    const { data } = await pi.request({ type: 'get_fork_messages' });
    const forking = pi.request({ type: 'fork', entryId: data.messages[1].entryId });
    const from = pi.records.length;
    const { title } = await world.answer(pi, 'Restore them', from);
    await forking;
    expect(title).toMatch(/3 files are not as they were[\s\S]*comes back: gone\.txt/);
    const { message } = await pi.find(
      ({ method, message: text }) => method === 'notify' && String(text).includes('as they were'),
      from,
    );
    expect([read('a.txt'), read('gone.txt'), read('new.txt'), read('d/deep.txt'), read('ignored.txt')]).toEqual([
      'two\n',
      'stays\n',
      undefined,
      undefined,
      'mine\n',
    ]);
    const kept = /commit (\w+)/.exec(message)?.[1] ?? '';
    expect(git('show', `${kept}:new.txt`)).toBe('new');
    expect(git('rev-parse', 'HEAD')).toBe(before.head);
    expect(git('stash', 'list')).toBe(before.stash);
    expect(git('diff', '--cached', '--name-only')).toBe('staged.txt');
  });

  it('change nothing unless somebody wants it, nor where nothing differs', async () => {
    const pi = world.start('--session', session);
    await world.call(pi, 'write', { path: 'a.txt', content: 'two\n' });
    const { data } = await pi.request({ type: 'get_fork_messages' });
    const forking = pi.request({ type: 'fork', entryId: data.messages[0].entryId });
    await world.answer(pi, 'Leave them as they are', pi.records.length);
    await forking;
    expect(read('a.txt')).toBe('two\n');
  });

  it('are listed, restored by number, and removed', async () => {
    const pi = world.start('--session', session);
    await world.call(pi, 'write', { path: 'a.txt', content: 'two\n' });
    await world.call(pi, 'write', { path: 'a.txt', content: 'three\n' });
    const listed = await world.says(pi, '/checkpoints');
    expect(listed.split('\n')).toHaveLength(2);
    const from = pi.records.length;
    const restoring = pi.request({ type: 'prompt', message: '/checkpoints restore 2' });
    await world.answer(pi, 'Restore them', from);
    await restoring;
    await expect.poll(() => read('a.txt')).toBe('one\n');
    expect(await world.says(pi, '/checkpoints prune')).toMatch(/removed/);
    expect(git('for-each-ref', 'refs/pi')).toBe('');
  });

  it('are not made anew while nothing changes', async () => {
    const pi = world.start('--session', session);
    world.llm.push({ text: 'a' }, { text: 'b' }, { text: 'c' });
    for (const text of ['1', '2', '3']) await pi.prompt(text);
    expect((await world.says(pi, '/checkpoints')).split('\n')).toHaveLength(1);
  });
});

describe('git checkpoints where there is no repository', { timeout: 60_000 }, () => {
  it('say so when they are asked for, and keep out of the way', async () => {
    const pi = world.start('--session', session);
    expect(await world.call(pi, 'write', { path: 'a.txt', content: 'two\n' })).toMatchObject({ isError: false });
    expect(await world.says(pi, '/checkpoints')).toContain('in no git repository');
  });

  it('work before the first commit', async () => {
    git('init', '-q', '-b', 'main');
    const pi = world.start('--session', session);
    await world.call(pi, 'write', { path: 'a.txt', content: 'two\n' });
    expect((await world.says(pi, '/checkpoints')).split('\n')).toHaveLength(1);
  });
});
