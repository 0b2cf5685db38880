import { describe, expect, it } from 'vitest';
import { switchInPackage, switchTopLevel } from '../../../core/app/packages/switch-resource.js';
import { packageFilter } from '../../../core/resources/packages/package-filter.js';

const ALL = [
  'skills/a/SKILL.md',
  'skills/b/SKILL.md',
  'prompts/x.md',
  'prompts/y.md',
  'extensions/one.ts',
  'extensions/two/index.ts',
];

async function passed(list: string[] | undefined, startsEmpty = false): Promise<string[]> {
  const { lets } = await packageFilter(list, startsEmpty);
  return ALL.filter(lets);
}
const without = (...names: string[]): string[] => ALL.filter((file) => !names.includes(file));

describe('the list of a package entry', () => {
  // Each row was found by running the existing program, but for those of extensions.
  it.each<[string[] | undefined, string[]]>([
    [undefined, ALL],
    [[], []],
    [['a'], ['skills/a/SKILL.md']],
    [['skills/a'], ['skills/a/SKILL.md']],
    [['skills/*'], ['skills/a/SKILL.md', 'skills/b/SKILL.md']],
    [['skills'], []],
    [['x.md'], ['prompts/x.md']],
    [['prompts/*', '!prompts/x.md'], ['prompts/y.md']],
    [['!x.md'], without('prompts/x.md')],
    [['-prompts/x.md'], without('prompts/x.md')],
    [['-x.md'], ALL],
    [['!skills/a'], without('skills/a/SKILL.md')],
    [['-skills/a/SKILL.md'], without('skills/a/SKILL.md')],
    [['!**', '+prompts/x.md'], ['prompts/x.md']],
    [['+prompts/x.md'], ALL],
    [['+prompts/x.md', '-prompts/x.md'], without('prompts/x.md')],
    [['./extensions/*.ts'], ['extensions/one.ts']],
    [['extensions/two'], ['extensions/two/index.ts']],
    [['-extensions/two'], without('extensions/two/index.ts')],
  ])('%j', async (list, files) => {
    expect(await passed(list)).toEqual(files);
  });

  it('with autoload: false lets nothing in but what is named', async () => {
    expect(await passed(undefined, true)).toEqual([]);
    expect(await passed(['-prompts/x.md'], true)).toEqual([]);
    expect(await passed(['+prompts/x.md'], true)).toEqual(['prompts/x.md']);
    expect(await passed(['prompts/*'], true)).toEqual(['prompts/x.md', 'prompts/y.md']);
  });
});

describe('turning one resource of a package on or off', () => {
  it.each<[string[] | undefined, boolean, string[] | undefined]>([
    [undefined, false, ['-prompts/x.md']],
    [['-prompts/x.md'], true, undefined],
    [undefined, true, undefined],
    [[], true, ['prompts/x.md']],
    [['prompts/x.md'], false, []],
    [['prompts/*'], false, ['prompts/*', '-prompts/x.md']],
    [['prompts/*', '-prompts/x.md'], true, ['prompts/*']],
    [['y.md'], true, ['y.md', 'prompts/x.md']],
    [['!x.md'], true, ['!x.md', '+prompts/x.md']],
    [['!x.md', '+prompts/x.md'], false, ['!x.md']],
    [['!y.md'], false, ['!y.md', '-prompts/x.md']],
  ])('%j, on: %s', async (list, isOn, next) => {
    expect(await switchInPackage(list, 'prompts/x.md', isOn)).toEqual(next);
    // It did what it says, and nothing else.
    const before = await passed(list);
    const after = await passed(next);
    expect(after.includes('prompts/x.md')).toBe(isOn);
    expect(after.filter((file) => file !== 'prompts/x.md')).toEqual(before.filter((file) => file !== 'prompts/x.md'));
  });

  it('of the user’s own changes only the words about it', () => {
    expect(switchTopLevel(['more', '-prompts/y.md'], 'prompts/x.md', false, false)).toEqual([
      'more',
      '-prompts/y.md',
      '-prompts/x.md',
    ]);
    expect(switchTopLevel(['-prompts/x.md', '!y'], 'prompts/x.md', true, false)).toEqual(['!y']);
    expect(switchTopLevel(['!x.md'], 'prompts/x.md', true, true)).toEqual(['!x.md', '+prompts/x.md']);
  });
});
