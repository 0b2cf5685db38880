import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageWorld, SKILL } from './support.js';

let world: PackageWorld;

beforeEach(async () => {
  world = await PackageWorld.open();
  world.write('pack/prompts/one.md', 'x\n');
  world.write('pack/prompts/two.md', 'x\n');
  world.write('pack/skills/pack-skill/SKILL.md', SKILL('pack-skill'));
  await world.run(['install', './pack']);
  for (const [name, text] of [
    ['skills/mine/SKILL.md', SKILL('mine')],
    ['prompts/note.md', 'x\n'],
  ] as const) {
    fs.mkdirSync(path.dirname(world.agentFile(name)), { recursive: true });
    fs.writeFileSync(world.agentFile(name), text);
  }
});
afterEach(() => world.close());

const ALL = ['note', 'one', 'two', 'skill:mine', 'skill:pack-skill'];
const without = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

describe('pi config', { timeout: 60_000 }, () => {
  it('lists what there is and turns it off and on, in packages and outside', async () => {
    expect(await world.commands()).toEqual(ALL);
    expect((await world.run(['config'])).stdout).toBe(
      `User (${world.sandbox.agentDir})\n  [x] skills/mine\n  [x] prompts/note.md\n\n../../../work/pack (user)\n  [x] skills/pack-skill\n  [x] prompts/one.md\n  [x] prompts/two.md\n\nBuilt in\n  [ ] skills\n  [ ] prompts\n`,
    );
    for (const [name, command] of [
      ['skills/mine', 'skill:mine'],
      ['note', 'note'],
      ['prompts/one.md', 'one'],
      ['pack-skill', 'skill:pack-skill'],
    ] as const) {
      expect(await world.run(['config', 'disable', name])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Disabled '),
      });
      expect(await world.commands()).toEqual(without(command));
      expect((await world.run(['config'])).stdout).toMatch(new RegExp(`\\[ \\] \\S*${name}`));
      expect(await world.run(['config', 'enable', name])).toMatchObject({ code: 0 });
      expect(await world.commands()).toEqual(ALL);
    }
    expect(world.settings()).toMatchObject({ packages: ['../../../work/pack'], skills: [], prompts: [] });
  });

  it('writes the words the existing program reads', async () => {
    await world.run(['config', 'disable', 'mine', 'one', 'pack-skill']);
    expect(world.settings()).toMatchObject({
      skills: ['-skills/mine'],
      packages: [{ source: '../../../work/pack', prompts: ['-prompts/one.md'], skills: ['-skills/pack-skill'] }],
    });
  });

  it('-l writes only the difference into the project', async () => {
    world.write('.pi/settings.json', '{}');
    await world.run(['trust']);
    expect((await world.run(['config', 'disable', '-l', 'one', 'mine'])).code).toBe(0);
    const ours = JSON.parse(fs.readFileSync(path.join(world.sandbox.cwd, '.pi/settings.json'), 'utf8'));
    expect(ours.packages).toEqual([{ source: '../pack', autoload: false, prompts: ['-prompts/one.md'] }]);
    expect(await world.commands()).toEqual(without('one', 'skill:mine'));
    expect(await world.commands(['--no-approve'])).toEqual(ALL);
    expect((await world.run(['config', 'enable', '-l', 'one', 'mine'])).code).toBe(0);
    expect(await world.commands()).toEqual(ALL);
  });

  it('builtin on and off is the setting "builtin"', async () => {
    expect((await world.run(['config', 'builtin', 'on'])).code).toBe(0);
    expect(world.settings().builtin).toEqual(['skills', 'prompts']);
    expect((await world.run(['config', 'builtin', 'off'])).code).toBe(0);
    expect(world.settings().builtin).toEqual([]);
  });

  it('refuses names that are nothing or several things, and calls that make no sense', async () => {
    world.write('other/prompts/one.md', 'x\n');
    await world.run(['install', './other']);
    const before = JSON.stringify(world.settings());
    expect(await world.run(['config', 'disable', 'one'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"one" may be any of'),
    });
    expect(await world.run(['config', 'disable', 'nothing'])).toMatchObject({ code: 2 });
    expect(await world.run(['config', 'disable'])).toMatchObject({ code: 2 });
    expect(await world.run(['config', 'builtin', 'maybe'])).toMatchObject({ code: 2 });
    expect(await world.run(['config', 'sideways', 'x'])).toMatchObject({ code: 2 });
    expect(JSON.stringify(world.settings())).toBe(before);
    // The path says which.
    expect(await world.run(['config', 'disable', 'other/prompts/one.md'])).toMatchObject({ code: 0 });
  });

  it('leaves settings that are not JSON alone', async () => {
    fs.writeFileSync(world.agentFile('settings.json'), '{ broken');
    for (const args of [
      ['config', 'builtin', 'on'],
      ['install', './pack'],
      ['config', 'disable', 'note'],
    ]) {
      const { code, stderr } = await world.run(args);
      expect({ args, code, stderr }).toEqual({ args, code: 1, stderr: expect.stringContaining('settings.json') });
    }
    expect(fs.readFileSync(world.agentFile('settings.json'), 'utf8')).toBe('{ broken');
  });
});
