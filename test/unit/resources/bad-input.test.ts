import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, loadAt, skill, skillNames, templateNames } from './loader-sandbox.js';

/** Makes one bad thing in a folder and returns its path. */
type Make = (folder: string) => string;

const put =
  (name: string, content: string | Uint8Array): Make =>
  (folder) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
const big: Make = (folder) => {
  const file = put('big.md', '---\ndescription: d\n---\n')(folder);
  truncateSync(file, 10 * 1024 * 1024);
  return file;
};
const fifo: Make = (folder) => {
  mkdirSync(folder, { recursive: true });
  execFileSync('mkfifo', [join(folder, 'pipe.md')]);
  return join(folder, 'pipe.md');
};
/** A regular file whose content nobody can read, not even root. */
const unreadable: Make = (folder) => {
  mkdirSync(folder, { recursive: true });
  symlinkSync('/proc/self/mem', join(folder, 'memory.md'));
  return join(folder, 'memory.md');
};

const random = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256));
const BOTH: [string, Make][] = [
  ['a file of 10 MB', big],
  ['a binary file', put('binary.md', random)],
  ['a pipe', fifo],
  ['broken YAML', put('yaml.md', '---\nname: [\ndescription: {\n---\n')],
  ['front matter that is not closed', put('open.md', '---\ndescription: d\n')],
  ['front matter in JavaScript', put('js.md', '---js\n({})\n---\n')],
];
if (existsSync('/proc/self/mem')) BOTH.push(['a file that gives an error when it is read', unreadable]);

describe('a bad file among good ones', () => {
  it.each(BOTH)('G21: %s gives one diagnostic with its path and line, and nothing else is affected', async (_, make) => {
    const { root, home } = load({ '.pi/agent/skills/ok/SKILL.md': skill('ok'), '.pi/agent/prompts/ok.md': 'text' });
    const paths = [make(join(home, '.pi/agent/skills')), make(join(home, '.pi/agent/prompts'))];
    const loaded = loadAt(root);
    expect(await skillNames(loaded)).toEqual(['ok']);
    expect(await templateNames(loaded)).toEqual(['ok']);
    const problems = await loaded.loader.diagnostics();
    expect(problems.map(({ kind, path }) => [kind, path]).sort()).toEqual([
      ['prompt', paths[1]],
      ['skill', paths[0]],
    ]);
    expect(problems.every(({ message, path = '-' }) => message.includes(path))).toBe(true);
    expect(loaded.told).toEqual(problems);
  });

  it.each([
    ['name: a/b', 'a/b'],
    ['name: ..', '..'],
    ['name: "a\\nb"', 'a\\nb'],
    ['name: "\\e[31mred"', '\\u001b[31mred'],
  ])('G21: a skill with %s is reported in plain characters and not loaded', async (line, shown) => {
    const loaded = load({
      '.pi/agent/skills/x/SKILL.md': `---\ndescription: d\n${line}\n---\n`,
      '.pi/agent/skills/ok/SKILL.md': skill('ok'),
    });
    expect(await skillNames(loaded)).toEqual(['ok']);
    expect(loaded.told).toEqual([
      expect.objectContaining({ severity: 'error', line: 3, message: expect.stringContaining(`"${shown}"`) }),
    ]);
    expect(loaded.told[0]?.message).not.toMatch(/\p{Cc}/u);
  });

  it.each(['a b.md', 'a\u001b[2Jb.md', 'a\nb.md', '.md.md.md', '...md', 'skill:x.md'])(
    'G21: a template in a file named %j',
    async (name) => {
      const loaded = load({ [`.pi/agent/prompts/${name}`]: 'text', '.pi/agent/prompts/ok.md': 'text' });
      const found = (await templateNames(loaded)).filter((one) => one !== 'ok');
      // Names that begin with a dot are left out, as hidden files are everywhere; all others are reported.
      expect(found).toEqual([]);
      expect(loaded.told).toHaveLength(name.startsWith('.') ? 0 : 1);
      expect(loaded.told.every(({ path }) => path === join(loaded.agentDir, 'prompts', name))).toBe(true);
      expect(loaded.told.map(({ message }) => message).join()).not.toMatch(/\p{Cc}/u);
    },
  );

  it('G21: a folder with SKILL.md in other letters, or a folder of that name, is reported', async () => {
    const loaded = load({
      '.pi/agent/skills/lower/skill.md': skill('lower'),
      '.pi/agent/skills/folder/SKILL.md/text.md': 'x',
      '.pi/agent/skills/ok/SKILL.md': skill('ok'),
    });
    expect(await skillNames(loaded)).toEqual(['ok']);
    expect(loaded.told.map(({ message }) => message)).toEqual([
      expect.stringContaining('is a folder, so it is no skill'),
      expect.stringContaining('must be named SKILL.md'),
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('G21: a file and a folder that are closed to us are reported', async () => {
    const { root, home } = load({ '.pi/agent/skills/shut/SKILL.md': skill('shut'), '.pi/agent/skills/x.md': skill('x') });
    chmodSync(join(home, '.pi/agent/skills/shut'), 0);
    chmodSync(join(home, '.pi/agent/skills/x.md'), 0);
    const loaded = loadAt(root);
    expect(await skillNames(loaded)).toEqual([]);
    expect(loaded.told).toHaveLength(2);
    chmodSync(join(home, '.pi/agent/skills/shut'), 0o700);
  });

  it('G21: a package whose package.json is broken is reported once, and its folders still count', async () => {
    const loaded = load({ 'p/package.json': '{', 'p/skills/a/SKILL.md': skill('a') }, { settings: { packages: ['~/p'] } });
    expect(await skillNames(loaded)).toEqual(['a']);
    await loaded.loader.templates();
    expect(loaded.told).toEqual([expect.objectContaining({ path: join(loaded.home, 'p/package.json') })]);
  });
});

describe('a template whose fields are odd', () => {
  it.each([
    ['description: [a]', 'First line.', 2],
    ['description: Use: this', 'Use: this', 2],
    ['argument-hint: [file]', 'First line.', 2],
    ['description: ""', 'First line.', undefined],
  ])('%s loads all the same', async (head, description, line) => {
    const loaded = load({ '.pi/agent/prompts/x.md': `---\n${head}\n---\n\nFirst line.\nSecond.` });
    expect((await loaded.loader.templates()).get('x')).toMatchObject({ description, body: 'First line.\nSecond.' });
    expect(loaded.told.map((problem) => problem.line)).toEqual(line === undefined ? [] : [line]);
  });

  it('shows a long first line cut', async () => {
    const loaded = load({ '.pi/agent/prompts/x.md': 'w'.repeat(500) });
    expect((await loaded.loader.templates()).get('x')?.description).toBe(`${'w'.repeat(120)}…`);
  });
});

describe('a skill that changes after it was found', () => {
  it('is sent as it is now', async () => {
    const loaded = load({ '.pi/agent/skills/x/SKILL.md': skill('x') });
    await loaded.loader.skills();
    writeFileSync(join(loaded.agentDir, 'skills/x/SKILL.md'), '---\nname: x\ndescription: d\n---\nNew text.');
    expect(await loaded.loader.expand('/skill:x more')).toMatch(/\n\nNew text\.\n<\/skill>\n\nUser: more$/);
  });

  it('G20: is not replaced by nothing when it is gone: the text goes as it was typed, and the loss is reported', async () => {
    const loaded = load({ '.pi/agent/skills/x/SKILL.md': skill('x') });
    await loaded.loader.skills();
    rmSync(join(loaded.agentDir, 'skills/x'), { recursive: true });
    expect(await loaded.loader.expand('/skill:x more')).toBe('/skill:x more');
    expect(loaded.told).toEqual([
      expect.objectContaining({ kind: 'skill', severity: 'error', message: expect.stringContaining("can't be read") }),
    ]);
  });
});
