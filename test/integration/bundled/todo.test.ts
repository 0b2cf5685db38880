import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundledWorld, textOf } from './support.js';

let world: BundledWorld;
beforeEach(async () => {
  world = await BundledWorld.create(['todo']);
});
afterEach(() => world.remove());

describe('the list of what is to be done', { timeout: 60_000 }, () => {
  it('is kept by the model, several points at a time, and shown as it changes', async () => {
    const pi = world.start('--no-session');
    await world.call(pi, 'todo', { action: 'add', texts: ['read', 'write', 'test'] });
    await world.call(pi, 'todo', { action: 'done', ids: [1] });
    const end = await world.call(pi, 'todo', { action: 'start', ids: [2, 3] });
    expect(textOf(end)).toBe('[x] 1. read\n[~] 2. write\n[~] 3. test');
    expect(await world.says(pi, '/todos')).toBe('[x] 1. read\n[~] 2. write\n[~] 3. test');
    const widgets = pi.records.filter(({ method }) => method === 'setWidget').map(({ widgetLines }) => widgetLines);
    expect(widgets.at(-1)).toEqual(['[x] 1. read', '[~] 2. write', '[~] 3. test']);
    expect(pi.records.filter(({ method }) => method === 'setStatus').at(-1)).toMatchObject({ statusText: '1/3 done' });
    await world.call(pi, 'todo', { action: 'remove', ids: [1] });
    expect(textOf(await world.call(pi, 'todo', { action: 'add', texts: ['more'] }))).toContain('[ ] 4. more');
    expect(textOf(await world.call(pi, 'todo', { action: 'clear' }))).toBe('Nothing is to be done.');
  });

  it.each<[object, RegExp]>([
    [{ action: 'done', ids: [7] }, /There is no 7/],
    [{ action: 'done' }, /"ids" is missing/],
    [{ action: 'add' }, /"texts" is missing/],
  ])('says what is wrong with %j', async (args, said) => {
    const pi = world.start('--no-session');
    const end = await world.call(pi, 'todo', args);
    expect(end).toMatchObject({ isError: true });
    expect(textOf(end)).toMatch(said);
  });

  it('belongs to the branch: a restart, a fork and a way back show the right one', async () => {
    const session = path.join(world.sandbox.cwd, 'session.jsonl');
    const first = world.start('--session', session);
    await world.call(first, 'todo', { action: 'add', texts: ['one'] });
    await world.call(first, 'todo', { action: 'add', texts: ['two'] });
    await first.end();
    const pi = world.start('--session', session);
    expect(await world.says(pi, '/todos')).toBe('[ ] 1. one\n[ ] 2. two');
    const { data } = await pi.request({ type: 'get_fork_messages' });
    await pi.request({ type: 'fork', entryId: data.messages[1].entryId });
    expect(await world.says(pi, '/todos')).toBe('[ ] 1. one');
  });

  it('is in the exported page as it was shown', async () => {
    const pi = world.start('--session', path.join(world.sandbox.cwd, 'session.jsonl'));
    await world.call(pi, 'todo', { action: 'add', texts: ['paint the fence'] });
    await pi.request({ type: 'export_html', outputPath: 'page.html' });
    expect(fs.readFileSync(path.join(world.sandbox.cwd, 'page.html'), 'utf8')).toContain('[ ] 1. paint the fence');
  });
});
