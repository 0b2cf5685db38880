import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadOptions, load, loadAt, skill, skillNames, templateNames } from './loader-sandbox.js';

interface Place {
  what: string;
  /** Below the home folder; the project is `work`. */
  file: string;
  location: 'user' | 'project' | 'path';
  scope: 'user' | 'project' | 'temporary';
  source?: string;
  options?: LoadOptions;
}

const SKILL_PLACES: readonly Place[] = [
  {
    what: "the list in the project's settings",
    file: 'work/.claude/skills/same/SKILL.md',
    location: 'path',
    scope: 'project',
    options: { projectSettings: { skills: ['../.claude/skills'], packages: ['../own-package'] } },
  },
  { what: "the project's .pi/skills", file: 'work/.pi/skills/same/SKILL.md', location: 'project', scope: 'project' },
  { what: "the project's .pi/agent/skills", file: 'work/.pi/agent/skills/same/SKILL.md', location: 'project', scope: 'project' },
  { what: "the project's .agents/skills", file: 'work/.agents/skills/same/SKILL.md', location: 'project', scope: 'project' },
  {
    what: "the list in the user's settings",
    file: 'listed/same/SKILL.md',
    location: 'path',
    scope: 'user',
    options: { settings: { skills: ['~/listed'], packages: ['../../package'] } },
  },
  { what: '~/.pi/agent/skills', file: '.pi/agent/skills/same/SKILL.md', location: 'user', scope: 'user' },
  { what: '~/.agents/skills', file: '.agents/skills/same/SKILL.md', location: 'user', scope: 'user' },
  {
    what: "a package in the project's settings",
    file: 'work/own-package/skills/same/SKILL.md',
    location: 'path',
    scope: 'project',
    source: '../own-package',
  },
  {
    what: "a package in the user's settings",
    file: 'package/skills/same/SKILL.md',
    location: 'path',
    scope: 'user',
    source: '../../package',
  },
  {
    what: '--skill',
    file: 'work/flag/SKILL.md',
    location: 'path',
    scope: 'temporary',
    source: 'cli',
    options: { skillFlags: ['flag'] },
  },
];

const TEMPLATE_PLACES: readonly Place[] = SKILL_PLACES.filter(({ file }) => !file.includes('.agents')).map((place) => ({
  ...place,
  what: place.what.replace('skill', 'prompt'),
  file: place.file.replace('/same/SKILL.md', '/same.md').replace('skills', 'prompts').replace('flag/SKILL.md', 'same.md'),
}));

const ALL: LoadOptions = Object.assign({}, ...SKILL_PLACES.map(({ options }) => options));
const ALL_PROMPTS: LoadOptions = {
  projectSettings: { prompts: ['../.claude/prompts'], packages: ['../own-package'] },
  settings: { prompts: ['~/listed'], packages: ['../../package'] },
  templateFlags: ['same.md'],
};

/** What the places from here on hold, and what the settings name beside it, so that nothing is missing. */
const filesOf = (places: readonly Place[], text: (place: Place) => string): Record<string, string> => ({
  'listed/keep.txt': '',
  'work/.claude/skills/keep.txt': '',
  'work/.claude/prompts/keep.txt': '',
  'package/keep.txt': '',
  'work/own-package/keep.txt': '',
  ...Object.fromEntries(places.map((place) => [place.file, text(place)])),
});

describe.each(SKILL_PLACES.map((place, at) => ({ ...place, at })))('skills of $what', ({ at, file, location, scope, source }) => {
  it('are found, win over those of later places and are listed with where they come from', async () => {
    const places = SKILL_PLACES.slice(at);
    const flags = { ...ALL, skillFlags: ['flag'] };
    const loaded = load({ 'work/flag/SKILL.md': skill('flag'), ...filesOf(places, ({ what }) => skill('same', what)) }, flags);
    const found = (await loaded.loader.skills()).get('same');
    expect(found).toMatchObject({ path: join(loaded.home, file), description: SKILL_PLACES[at]?.what });
    expect((await loaded.loader.slashCommands()).find(({ name }) => name === 'skill:same')).toMatchObject({
      source: 'skill',
      location,
      path: join(loaded.home, file),
      sourceInfo: { path: join(loaded.home, file), scope, source: source ?? 'local' },
    });
    // G22: each of the others is named, beside the one that has the name.
    expect(loaded.told.map(({ path }) => path).sort()).toEqual(
      places
        .slice(1)
        .map((place) => join(loaded.home, place.file))
        .sort(),
    );
    for (const { message } of loaded.told) expect(message).toContain(`taken already by ${join(loaded.home, file)}`);
  });
});

describe.each(TEMPLATE_PLACES.map((place, at) => ({ ...place, at })))(
  'templates of $what',
  ({ at, file, location, scope, source }) => {
    it('are found, win over those of later places and are listed with where they come from', async () => {
      const places = TEMPLATE_PLACES.slice(at);
      const loaded = load(
        filesOf(places, ({ what }) => what),
        { ...ALL_PROMPTS, templateFlags: places.length > 0 ? ['same.md'] : [] },
      );
      expect(await loaded.loader.slashCommands()).toEqual([
        expect.objectContaining({
          name: 'same',
          description: TEMPLATE_PLACES[at]?.what,
          source: 'prompt',
          location,
          path: join(loaded.home, file),
          sourceInfo: expect.objectContaining({ scope, source: source ?? 'local' }),
        }),
      ]);
      expect(loaded.told).toHaveLength(places.length - 1);
    });
  },
);

describe('what is found', () => {
  it('is nothing of a project without trust', async () => {
    const files = filesOf(
      SKILL_PLACES.filter(({ scope }) => scope === 'project'),
      ({ what }) => skill('same', what),
    );
    const loaded = load(files, { ...ALL, skillFlags: [], projectTrusted: false });
    expect(await skillNames(loaded)).toEqual([]);
  });

  it('is only what flags name when flags say so', async () => {
    const files = {
      '.pi/agent/skills/a/SKILL.md': skill('a'),
      'work/b/SKILL.md': skill('b'),
      '.pi/agent/prompts/c.md': 'c',
      'work/d.md': 'd',
    };
    const loaded = load(files, {
      noSkills: true,
      skillFlags: ['b'],
      noTemplates: true,
      templateFlags: ['d.md'],
      builtin: ['skills', 'prompts'],
    });
    expect(await skillNames(loaded)).toEqual(['b']);
    expect(await templateNames(loaded)).toEqual(['d']);
  });

  it('is loaded once, as the user’s, when pi is started in the home folder', async () => {
    const loaded = load(
      {
        '.pi/agent/skills/mine/SKILL.md': skill('mine'),
        '.pi/agent/prompts/mine.md': 'text',
        '.agents/skills/shared/SKILL.md': skill('shared'),
        '.pi/skills/stray/SKILL.md': skill('stray'),
      },
      { cwd: 'home' },
    );
    expect((await loaded.loader.slashCommands()).map(({ name, location }) => [name, location])).toEqual([
      ['mine', 'user'],
      ['skill:mine', 'user'],
      ['skill:shared', 'user'],
    ]);
    expect(loaded.told).toEqual([]);
  });

  it('is the user’s as well when the home folder is reached by a link', async () => {
    const first = load({ '.pi/agent/skills/mine/SKILL.md': skill('mine'), '.agents/skills/shared/SKILL.md': skill('shared') });
    symlinkSync(first.home, join(first.root, 'link'));
    const loaded = loadAt(first.root, { cwd: 'link' });
    expect([...(await loaded.loader.skills()).values()].map(({ origin }) => origin.location)).toEqual(['user', 'user']);
    expect(loaded.told).toEqual([]);
  });

  it('is the user’s when the agent directory lies in the project', async () => {
    const first = load({ 'work/.pi/agent/skills/mine/SKILL.md': skill('mine') });
    const loaded = loadAt(first.root, { agentDir: join(first.cwd, '.pi/agent') });
    expect((await loaded.loader.skills()).get('mine')?.origin.location).toBe('user');
  });

  it('in .agents/skills goes up to the root of the repository, and no further', async () => {
    const files = {
      'outside/.agents/skills/o/SKILL.md': skill('o'),
      'outside/repo/.git/HEAD': '',
      'outside/repo/.agents/skills/r/SKILL.md': skill('r'),
      'outside/repo/a/.agents/skills/m/SKILL.md': skill('m'),
      'outside/repo/a/b/.agents/skills/own/SKILL.md': skill('own'),
      'outside/repo/a/b/.agents/skills/loose.md': skill('loose'),
    };
    const { root } = load(files);
    expect(await skillNames(loadAt(root, { cwd: 'home/outside/repo/a/b' }))).toEqual(['m', 'own', 'r']);
    // A worktree has a file named .git.
    writeFileSync(join(root, 'home/outside/repo/a/.git'), 'gitdir: elsewhere');
    expect(await skillNames(loadAt(root, { cwd: 'home/outside/repo/a/b' }))).toEqual(['m', 'own']);
  });

  it('in a folder of skills are SKILL.md at any depth, Markdown of the folder itself, and nothing hidden or installed', async () => {
    const at = '.pi/agent/skills';
    const loaded = load({
      [`${at}/root.md`]: skill('root'),
      [`${at}/a/b/c/deep/SKILL.md`]: skill('deep'),
      [`${at}/a/b/notes.md`]: skill('notes'),
      [`${at}/deeper/SKILL.md`]: skill('deeper'),
      [`${at}/deeper/inner/SKILL.md`]: skill('inner'),
      [`${at}/.hidden/SKILL.md`]: skill('hidden'),
      [`${at}/.hidden.md`]: skill('hidden'),
      [`${at}/node_modules/x/SKILL.md`]: skill('installed'),
      [`${at}/readme.txt`]: 'x',
    });
    expect(await skillNames(loaded)).toEqual(['deep', 'deeper', 'root']);
    expect(loaded.told).toEqual([]);
  });

  it('in a folder of templates is its own Markdown, by file name', async () => {
    const at = '.pi/agent/prompts';
    const loaded = load({
      [`${at}/b.md`]: 'b',
      [`${at}/a.md`]: '---\ndescription: "A: b"\nargument-hint: "<x> [y]"\n---\nText',
      [`${at}/sub/c.md`]: 'c',
      [`${at}/.d.md`]: 'd',
      [`${at}/e.txt`]: 'e',
    });
    expect(
      [...(await loaded.loader.templates()).values()].map(({ name, description, argumentHint }) => [
        name,
        description,
        argumentHint,
      ]),
    ).toEqual([
      ['a', 'A: b', '<x> [y]'],
      ['b', 'b', undefined],
    ]);
  });

  it('by a path is a file, a skill or a folder of them; a path that leads nowhere is reported', async () => {
    const files = {
      'work/one/SKILL.md': skill('one'),
      'work/two.md': skill('two'),
      'work/many/x/SKILL.md': skill('x'),
      'tilde/SKILL.md': skill('t'),
    };
    const loaded = load(files, { skillFlags: ['one', 'two.md', 'many', '~/tilde', 'nowhere'] });
    expect(await skillNames(loaded)).toEqual(['one', 't', 'two', 'x']);
    expect(loaded.told).toEqual([
      {
        kind: 'skill',
        severity: 'warning',
        path: join(loaded.cwd, 'nowhere'),
        message: expect.stringContaining('there is no skill at'),
      },
    ]);
  });

  it('keeps what package.json names, else the folder of the kind', async () => {
    const files = {
      'p1/package.json': JSON.stringify({ pi: { skills: ['./mine', '!**/old'], prompts: ['texts/*.md', '!texts/draft.md'] } }),
      'p1/mine/a/SKILL.md': skill('a'),
      'p1/mine/old/SKILL.md': skill('old'),
      'p1/skills/unnamed/SKILL.md': skill('unnamed'),
      'p1/texts/x.md': 'x',
      'p1/texts/draft.md': 'draft',
      'p2/package.json': '{}',
      'p2/skills/b/SKILL.md': skill('b'),
      'p2/prompts/y.md': 'y',
    };
    const loaded = load(files, { settings: { packages: ['~/p1', { source: '~/p2', prompts: [] }] } });
    expect(await skillNames(loaded)).toEqual(['a', 'b']);
    expect(await templateNames(loaded)).toEqual(['x']);
    expect(loaded.told).toEqual([]);
  });
});

describe('lists in settings', () => {
  const files = {
    '.pi/agent/skills/auto/SKILL.md': skill('auto'),
    '.pi/agent/skills/group/in-group/SKILL.md': skill('in-group'),
    'lib/new-a/SKILL.md': skill('new-a'),
    'lib/new-b/SKILL.md': skill('new-b'),
    'lib/new-b/references/more.md': 'no skill',
    'lib/legacy-c/SKILL.md': skill('legacy-c'),
    'lib/[odd]/SKILL.md': skill('odd'),
    'lib/node_modules/d/SKILL.md': skill('installed'),
  };
  const auto = ['auto', 'in-group'];

  it.each<[string[], string[]]>([
    [['~/lib'], [...auto, 'legacy-c', 'new-a', 'new-b', 'odd']],
    [['~/lib/new-*'], [...auto, 'new-a', 'new-b']],
    [['../../lib/*/SKILL.md'], [...auto, 'legacy-c', 'new-a', 'new-b', 'odd']],
    [['~/lib/**'], [...auto, 'legacy-c', 'new-a', 'new-b', 'odd']],
    [['~/lib/{new-a,legacy-c}'], [...auto, 'legacy-c', 'new-a']],
    [['~/lib/[odd]'], [...auto, 'odd']],
    [
      ['~/lib', '!~/lib/legacy-*'],
      [...auto, 'new-a', 'new-b', 'odd'],
    ],
    [
      ['~/lib', '!legacy-*'],
      [...auto, 'new-a', 'new-b', 'odd'],
    ],
    [
      ['~/lib', '!**/legacy-*'],
      [...auto, 'new-a', 'new-b', 'odd'],
    ],
    [
      ['~/lib', '!../../lib/*', '+~/lib/new-a'],
      [...auto, 'new-a'],
    ],
    [
      ['~/lib', '-~/lib', '+~/lib/new-a/SKILL.md'],
      [...auto, 'new-a'],
    ],
    [
      ['~/lib/new-*', '-~/lib/new-a'],
      [...auto, 'new-b'],
    ],
    [
      ['~/lib/new-*', '-../../lib/new-a/SKILL.md', '+../../lib/new-a/SKILL.md'],
      [...auto, 'new-b'],
    ],
    [['+~/lib/new-a'], [...auto, 'new-a']],
    [['-skills/auto'], ['in-group']],
    [['-skills/auto/SKILL.md', '!group'], []],
    [['!skills/*', '+skills/auto/SKILL.md'], ['auto']],
    [['!**'], []],
  ])('%j gives %j', async (skills, names) => {
    const loaded = load(files, { settings: { skills } });
    expect(await skillNames(loaded)).toEqual([...names].sort());
    expect(loaded.told).toEqual([]);
  });

  it('of a trusted project count for the user’s resources too', async () => {
    const off = load(files, { projectSettings: { skills: ['-~/.pi/agent/skills/auto'] } });
    expect(await skillNames(off)).toEqual(['in-group']);
    const on = load(files, { settings: { skills: ['!auto'] }, projectSettings: { skills: ['+~/.pi/agent/skills/auto'] } });
    expect(await skillNames(on)).toEqual(auto);
    expect((await on.loader.skills()).get('auto')?.origin.location).toBe('user');
  });

  it('of the user say nothing about a project', async () => {
    const loaded = load(
      { ...files, 'work/.pi/skills/auto/SKILL.md': skill('auto', "the project's") },
      { settings: { skills: ['!auto'] } },
    );
    expect((await loaded.loader.skills()).get('auto')?.description).toBe("the project's");
  });

  it('work for templates as well, at any depth', async () => {
    const texts = {
      '.pi/agent/prompts/top.md': 't',
      '.pi/agent/prompts/sub/deep.md': 'd',
      '.pi/agent/prompts/sub/draft-x.md': 'x',
    };
    expect(await templateNames(load(texts, { settings: { prompts: ['prompts/**/*.md', '!draft-*'] } }))).toEqual(['deep', 'top']);
  });

  it('G21: that name what is not there are reported with the line that names it', async () => {
    const loaded = load({}, { settings: '{\n  "skills": [\n    "~/none",\n    "~/no/*"\n  ],\n  "packages": ["../nowhere"]\n}' });
    const path = join(loaded.agentDir, 'settings.json');
    const lines = (await loaded.loader.diagnostics()).map((problem) => [
      problem.path,
      problem.line,
      problem.message.replace(/.*: /, ''),
    ]);
    expect(lines.sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
      [path, 3, `there is no skill at ${join(loaded.home, 'none')}`],
      [path, 4, expect.stringContaining('/no/*"')],
      [path, 6, expect.stringContaining('nowhere')],
    ]);
  });
});

describe('links', () => {
  it('G22: several ways to one file give one skill, and no complaint', async () => {
    const { root, home } = load({ 'shared/a/SKILL.md': skill('a'), '.pi/agent/skills/keep/SKILL.md': skill('keep') });
    mkdirSync(join(home, '.agents/skills'), { recursive: true });
    symlinkSync(join(home, 'shared/a'), join(home, '.pi/agent/skills/a'));
    symlinkSync(join(home, 'shared'), join(home, '.agents/skills/all'));
    mkdirSync(join(home, '.agents/skills/copy'));
    symlinkSync(join(home, 'shared/a/SKILL.md'), join(home, '.agents/skills/copy/SKILL.md'));
    const loaded = loadAt(root, { skillFlags: [join(home, 'shared'), '../shared/a/SKILL.md'] });
    expect(await skillNames(loaded)).toEqual(['a', 'keep']);
    expect((await loaded.loader.skills()).get('a')?.path).toBe(join(home, '.pi/agent/skills/a/SKILL.md'));
    expect(loaded.told).toEqual([]);
  });

  it('that go round in circles are no problem', async () => {
    const { root, home } = load({ '.pi/agent/skills/x/y/s/SKILL.md': skill('s') });
    const skills = join(home, '.pi/agent/skills');
    symlinkSync(skills, join(skills, 'x/y/up'));
    symlinkSync(join(skills, 'x'), join(skills, 'x/y/back'));
    symlinkSync('.', join(skills, 'x/self'));
    const loaded = loadAt(root);
    expect(await skillNames(loaded)).toEqual(['s']);
    expect(loaded.told).toEqual([]);
  });

  it('that lead nowhere are reported where a skill or a template would be, and nowhere else', async () => {
    const { root, home } = load({ '.pi/agent/skills/ok/SKILL.md': skill('ok'), '.pi/agent/prompts/ok.md': 'text' });
    const agent = join(home, '.pi/agent');
    mkdirSync(join(agent, 'skills/gone'));
    symlinkSync('nothing', join(agent, 'skills/gone/SKILL.md'));
    symlinkSync('SKILL.md', join(agent, 'skills/loose.md'));
    symlinkSync('itself.md', join(agent, 'prompts/itself.md'));
    symlinkSync('nothing', join(agent, 'prompts/other.txt'));
    // What an editor leaves behind.
    symlinkSync('user@host.1234', join(agent, 'prompts/.#ok.md'));
    const loaded = loadAt(root);
    expect(await skillNames(loaded)).toEqual(['ok']);
    expect(await templateNames(loaded)).toEqual(['ok']);
    expect(loaded.told.map(({ path }) => path?.slice(agent.length + 1)).sort()).toEqual([
      'prompts/itself.md',
      'skills/gone/SKILL.md',
      'skills/loose.md',
    ]);
  });
});

describe('much', () => {
  it('of everything is found: thousands of files beside and below one another', async () => {
    const { root, home } = load({ '.pi/agent/skills/keep.md': skill('keep') });
    for (let at = 0; at < 40; at += 1) {
      for (let inner = 0; inner < 40; inner += 1) {
        const folder = join(home, `.pi/agent/skills/g${at}/s${inner}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'SKILL.md'), skill(`s-${at}-${inner}`));
        writeFileSync(join(folder, 'other.txt'), 'x');
      }
    }
    const loaded = loadAt(root);
    expect((await loaded.loader.skills()).size).toBe(1601);
    expect(loaded.told).toEqual([]);
  });

  it('nesting ends the search there, and is reported once', async () => {
    const loaded = load({
      [`.pi/agent/skills/${'d/'.repeat(30)}SKILL.md`]: skill('far'),
      '.pi/agent/skills/near/SKILL.md': skill('near'),
    });
    expect(await skillNames(loaded)).toEqual(['near']);
    expect(loaded.told).toEqual([expect.objectContaining({ message: expect.stringContaining('folders deep') })]);
  });
});
