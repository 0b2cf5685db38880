import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPin } from '../../../core/trust/project-pin.js';
import { decideProjectTrust, type ProjectTrustOptions, pinProject, type TrustAnswer } from '../../../core/trust/project-trust.js';
import { readTrust, writeTrust } from '../../../core/trust/trust-record.js';

let root: string;
let agentDir: string;
let cwd: string;

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pi-trust-')));
  agentDir = path.join(root, 'home', '.pi', 'agent');
  cwd = path.join(root, 'work', 'project');
  fs.mkdirSync(agentDir, { recursive: true });
  write('.pi/settings.json', '{}');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function write(name: string, text = ''): void {
  fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  fs.writeFileSync(path.join(cwd, name), text);
}

const place = () => ({ agentDir, cwd, home: path.join(root, 'home') });

async function decide(options: Partial<ProjectTrustOptions> = {}): Promise<{ trusted: boolean; messages: string[] }> {
  const { trusted, diagnostics } = await decideProjectTrust({
    ...place(),
    approve: false,
    noApprove: false,
    fallback: 'ask',
    ...options,
  });
  return { trusted, messages: diagnostics.map(({ message }) => message) };
}
const trusted = async (options: Partial<ProjectTrustOptions> = {}): Promise<boolean> => (await decide(options)).trusted;
const record = (value: unknown): void => fs.writeFileSync(path.join(agentDir, 'trust.json'), JSON.stringify(value));
const says = (answer: TrustAnswer | undefined) => ({ ask: () => Promise.resolve(answer) });

describe('whether a project is trusted', () => {
  it('is what the record says of it, or of the nearest folder above it', async () => {
    expect(await trusted()).toBe(false);
    record({ [path.join(root, 'work')]: true });
    expect(await trusted()).toBe(true);
    record({ [path.join(root, 'work')]: true, [cwd]: false });
    expect(await trusted()).toBe(false);
    record({ [path.join(root, 'work')]: false, [cwd]: true });
    expect(await trusted()).toBe(true);
    record({ [path.join(root, 'work')]: true, [cwd]: null });
    expect(await trusted()).toBe(true);
    record({ [path.join(cwd, 'below')]: true, [`${cwd}x`]: true });
    expect(await trusted()).toBe(false);
  });

  it('goes by the real path', async () => {
    record({ [cwd]: true });
    const link = path.join(root, 'link');
    fs.symlinkSync(cwd, link);
    expect(await trusted({ cwd: link })).toBe(true);
  });

  it('is what the setting says where nothing is recorded', async () => {
    expect(await trusted({ fallback: 'always' })).toBe(true);
    expect(await trusted({ fallback: 'never' })).toBe(false);
    record({ [cwd]: false });
    expect(await trusted({ fallback: 'always' })).toBe(false);
  });

  it('is what the command line says before all', async () => {
    record({ [cwd]: false });
    expect(await trusted({ approve: true, ...says({ trusted: 'no' }) })).toBe(true);
    record({ [cwd]: true });
    expect(await trusted({ noApprove: true, fallback: 'always', ...says({ trusted: 'yes' }) })).toBe(false);
  });

  it('is what an extension says before the record and the setting', async () => {
    record({ [cwd]: false });
    expect(await trusted(says({ trusted: 'yes' }))).toBe(true);
    record({ [cwd]: true });
    expect(await trusted({ fallback: 'always', ...says({ trusted: 'no' }) })).toBe(false);
    expect(await trusted(says({ trusted: 'undecided' }))).toBe(true);
    expect(await trusted(says(undefined))).toBe(true);
    const failed = await decide({ ask: () => Promise.reject(new Error('no idea')) });
    expect(failed).toEqual({ trusted: true, messages: [expect.stringContaining('failed: no idea')] });
  });

  it('asks extensions with the folder, and only when there is something to decide', async () => {
    const asked: object[] = [];
    const ask = (event: object): Promise<undefined> => {
      asked.push(event);
      return Promise.resolve(undefined);
    };
    await decide({ ask });
    await decide({ ask, approve: true });
    await decide({ ask, noApprove: true });
    fs.rmSync(path.join(cwd, '.pi'), { recursive: true });
    await decide({ ask });
    expect(asked).toEqual([{ cwd }]);
  });

  it('is remembered when an extension asks for it, beside what is there', async () => {
    record({ '/elsewhere': false });
    expect(await trusted(says({ trusted: 'yes', remember: true }))).toBe(true);
    expect(Object.fromEntries(readTrust(agentDir))).toEqual({ '/elsewhere': false, [cwd]: true });
    expect(await trusted()).toBe(true);
    await decide(says({ trusted: 'no', remember: true }));
    expect(await trusted()).toBe(false);
  });

  it('is no when the record can not be read, and nothing is written over it', async () => {
    fs.writeFileSync(path.join(agentDir, 'trust.json'), '{ broken');
    const { trusted, messages } = await decide({ fallback: 'always' });
    expect(trusted).toBe(false);
    expect(messages[0]).toContain('No project is trusted by the record');
    await expect(writeTrust(agentDir, cwd, true)).rejects.toMatchObject({ code: 'TRUST_FILE_INVALID' });
    const remembered = await decide(says({ trusted: 'yes', remember: true }));
    expect(remembered).toEqual({ trusted: true, messages: [expect.stringContaining('was not remembered')] });
    expect(fs.readFileSync(path.join(agentDir, 'trust.json'), 'utf8')).toBe('{ broken');
  });

  it('names everything that was left alone, and how to change that', async () => {
    for (const name of ['.pi/skills/a/SKILL.md', '.pi/SYSTEM.md', '.pi/agent/prompts/x.md', '.agents/skills/b/SKILL.md'])
      write(name, 'x');
    const { messages } = await decide();
    expect(messages).toEqual([
      `The project in ${cwd} is not trusted: .pi/settings.json, .pi/SYSTEM.md, .pi/skills, .pi/agent/prompts and .agents/skills were not loaded (to trust it, run "pi trust" there, or pass --approve for this run)`,
    ]);
  });

  it('does not matter where the project brings nothing that could load', async () => {
    fs.rmSync(path.join(cwd, '.pi'), { recursive: true });
    fs.mkdirSync(path.join(cwd, '.pi', 'skills'), { recursive: true });
    write('.pi/notes.txt', 'x');
    expect(await decide()).toEqual({ trusted: true, messages: [] });
  });

  it('is asked for skills of the repository above, never for what is the user’s', async () => {
    fs.rmSync(path.join(cwd, '.pi'), { recursive: true });
    const skill = path.join(root, 'work', '.agents', 'skills', 'x', 'SKILL.md');
    fs.mkdirSync(path.dirname(skill), { recursive: true });
    fs.writeFileSync(skill, 'x');
    expect((await decide()).messages[0]).toContain('../.agents/skills was not loaded');
    fs.mkdirSync(path.join(cwd, '.git'));
    expect(await trusted()).toBe(true);
    expect(await trusted({ cwd: path.join(root, 'home') })).toBe(true);
  });
});

describe('G37: trust that is pinned to content', () => {
  const pin = async (pinnedPlaces?: () => string[]): Promise<void> => {
    await pinProject({ ...place(), pinnedPlaces }, cwd);
    await writeTrust(agentDir, cwd, true);
  };
  const CODE = '.pi/extensions/tool/index.ts';

  beforeEach(async () => {
    write(CODE, 'one');
    write('.pi/skills/a/SKILL.md', 'one');
    write('.pi/npm/node_modules/dep/index.js', 'one');
    write('.agents/skills/b/SKILL.md', 'one');
  });

  it('G37: holds while nothing changes', async () => {
    await pin();
    expect(await decide()).toEqual({ trusted: true, messages: [] });
    write(CODE, 'one');
    write('README.md', 'not loaded');
    write('.pi/sessions/x.jsonl', 'grows');
    expect(await trusted()).toBe(true);
  });

  it.each<[string, () => void, string]>([
    ['a changed file', () => write(CODE, 'two'), `changed: ${CODE}`],
    ['a new file', () => write('.pi/extensions/new.ts', 'x'), 'new: .pi/extensions/new.ts'],
    ['a file that is gone', () => fs.rmSync(path.join(cwd, '.pi/skills'), { recursive: true }), 'gone: .pi/skills/a/SKILL.md'],
    ['a changed dependency', () => write('.pi/npm/node_modules/dep/index.js', 'two'), 'changed: .pi/npm/'],
    ['a skill beside .pi', () => write('.agents/skills/b/run.sh', 'x'), 'new: .agents/skills/b/run.sh'],
    ['a changed setting', () => write('.pi/settings.json', '{"extensions":["../x.ts"]}'), 'changed: .pi/settings.json'],
    [
      'a renamed file',
      () => fs.renameSync(path.join(cwd, CODE), path.join(cwd, '.pi/extensions/tool/main.ts')),
      'new: .pi/extensions/tool/main.ts; gone',
    ],
  ])('G37: ends with %s, and a diagnostic names it', async (_, change, named) => {
    await pin();
    change();
    const { trusted, messages } = await decide({ fallback: 'always' });
    expect(trusted).toBe(false);
    expect(messages[0]).toContain(`is trusted only as it was when it was pinned: ${named}`);
    expect(messages[1]).toContain('run "pi trust --pin" there');
    await pin();
    expect(await decide()).toEqual({ trusted: true, messages: [] });
  });

  it('G37: covers what a link leads to, and where it leads', async () => {
    const outside = path.join(root, 'outside.ts');
    fs.writeFileSync(outside, 'one');
    fs.symlinkSync(outside, path.join(cwd, '.pi/extensions/linked.ts'));
    await pin();
    fs.writeFileSync(outside, 'two');
    expect((await decide()).messages[0]).toContain('changed: .pi/extensions/linked.ts');
  });

  it('G37: covers places elsewhere that the settings name', async () => {
    write('tools/ext.ts', 'one');
    const pinnedPlaces = (): string[] => [path.join(cwd, 'tools')];
    await pin(pinnedPlaces);
    expect(await trusted({ pinnedPlaces })).toBe(true);
    write('tools/ext.ts', 'two');
    expect((await decide({ pinnedPlaces })).messages[0]).toContain('changed: tools/ext.ts');
  });

  it('G37: says nothing about folders below the pinned one', async () => {
    await pin();
    write('sub/.pi/settings.json', '{}');
    const below = await decide({ cwd: path.join(cwd, 'sub') });
    expect(below).toEqual({
      trusted: false,
      messages: [expect.stringContaining('says nothing about folders in it'), expect.any(String)],
    });
  });

  it('G37: can be overruled for a run by --approve, and is made anew when an extension remembers a yes', async () => {
    await pin();
    write(CODE, 'two');
    expect(await trusted({ approve: true })).toBe(true);
    expect(await trusted()).toBe(false);
    expect(await trusted(says({ trusted: 'yes', remember: true }))).toBe(true);
    expect(await trusted()).toBe(true);
    write(CODE, 'three');
    expect(await trusted()).toBe(false);
  });

  it('G37: is no trust when the file of pins is damaged', async () => {
    await pin();
    fs.writeFileSync(path.join(agentDir, 'trust-pins.json'), '[]');
    expect(await trusted()).toBe(false);
    fs.writeFileSync(path.join(agentDir, 'trust-pins.json'), JSON.stringify({ [cwd]: { files: 1 } }));
    expect((await decide()).messages[0]).toContain('is damaged');
  });

  it('keeps trust.json to what the other program takes: true, false and null', async () => {
    await pin();
    expect(JSON.parse(fs.readFileSync(path.join(agentDir, 'trust.json'), 'utf8'))).toEqual({ [cwd]: true });
    expect(readPin(agentDir, cwd)?.files).toMatchObject({ [CODE]: expect.stringMatching(/^sha256-/) });
    expect(fs.statSync(path.join(agentDir, 'trust.json')).mode & 0o777).toBe(0o600);
  });
});
