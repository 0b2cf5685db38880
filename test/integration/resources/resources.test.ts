import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

let llm: FakeLlm;
let sandbox: Sandbox;
const started: PiProcess[] = [];

beforeEach(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({ providers: fakeProviders(llm.url) });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((pi) => pi.end()));
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

const MODEL = ['--provider', 'fake', '--model', 'plain'];

function start(args: string[] = [], env: NodeJS.ProcessEnv = {}): PiProcess {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', ...MODEL, ...args], env);
  started.push(pi);
  // After what the test has scripted.
  llm.push(...Array.from({ length: 5 }, () => ({ text: 'done' })));
  return pi;
}

/** Files below the sandbox's home folder. */
function put(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(sandbox.home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const skill = (name: string, description = `about ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}.\n`;
const commands = async (pi: PiProcess): Promise<Json[]> => (await pi.request({ type: 'get_commands' })).data.commands;
const diagnostics = async (pi: PiProcess): Promise<Json[]> => (await pi.request({ type: 'get_diagnostics' })).data.diagnostics;
const systemOf = (at: number): string => JSON.stringify(llm.requests[at]?.body.system);

describe('get_diagnostics', () => {
  it('G21: lists every problem of skills, templates, settings and context files with path and line, before anything was asked', async () => {
    const at = '.pi/agent';
    put({
      [`${at}/settings.json`]:
        '{\n  "steeringMode": "all",\n  "compaction": {\n    "enabled": "yes"\n  },\n  "skills": ["~/none"],\n  "mine": 1\n}\n',
      [`${at}/skills/broken/SKILL.md`]: '---\nname: broken\ndescription: "open\n---\n',
      [`${at}/skills/colon/SKILL.md`]: '---\ndescription: Use when: asked\n---\n',
      [`${at}/skills/twin/SKILL.md`]: skill('colon'),
      [`${at}/prompts/bad.md`]: '---\ndescription: {\n---\ntext',
      [`${at}/AGENTS.md`]: 'x'.repeat(300_000),
    });
    const pi = start();
    const found = await diagnostics(pi);
    const home = `${sandbox.home}/${at}/`;
    expect(
      found.map(({ kind, severity, path: file, line }: Json) => [kind, severity, file.replace(home, ''), line]).sort(),
    ).toEqual([
      ['context', 'warning', 'AGENTS.md', undefined],
      ['prompt', 'error', 'prompts/bad.md', 2],
      ['settings', 'warning', 'settings.json', 4],
      ['skill', 'error', 'skills/broken/SKILL.md', 3],
      ['skill', 'warning', 'settings.json', 6],
      ['skill', 'warning', 'skills/colon/SKILL.md', 2],
      ['skill', 'warning', 'skills/twin/SKILL.md', 1],
    ]);
    expect(found.find(({ kind }: Json) => kind === 'settings').message).toContain('"compaction.enabled" must be true or false');
    // The same again, not twice as many, and each once on stderr too.
    await pi.prompt('go');
    expect(await diagnostics(pi)).toEqual(found);
    for (const { message } of found) expect(pi.stderr.split(message)).toHaveLength(2);
    // What was right in the file applies, and what nobody knows is kept when the program writes to it.
    expect((await pi.request({ type: 'get_state' })).data.steeringMode).toBe('all');
    await pi.request({ type: 'set_follow_up_mode', mode: 'all' });
    expect(JSON.parse(readFileSync(`${home}settings.json`, 'utf8'))).toMatchObject({
      mine: 1,
      followUpMode: 'all',
      skills: ['~/none'],
    });
  });

  it('G21: names the place in settings that are no JSON, and the program works', async () => {
    put({ '.pi/agent/settings.json': '{\n  "steeringMode": "all"\n  "x": 1\n}' });
    const pi = start();
    expect(await diagnostics(pi)).toEqual([
      expect.objectContaining({
        kind: 'settings',
        severity: 'error',
        line: 3,
        message: expect.stringContaining('line 3, column 3'),
      }),
    ]);
    await pi.prompt('go');
    expect(llm.requests).toHaveLength(1);
  });

  it('G22: a skill that two ways lead to is no problem, and two of one name are', async () => {
    put({
      'lib/a/SKILL.md': skill('a'),
      '.pi/agent/skills/b/SKILL.md': skill('b', 'first'),
      '.agents/skills/b/SKILL.md': skill('b', 'second'),
    });
    symlinkSync(path.join(sandbox.home, 'lib/a'), path.join(sandbox.home, '.pi/agent/skills/a'));
    const pi = start(['--skill', path.join(sandbox.home, 'lib')]);
    expect((await commands(pi)).map(({ name, description }: Json) => [name, description])).toEqual([
      ['skill:a', 'about a'],
      ['skill:b', 'first'],
    ]);
    expect((await diagnostics(pi)).map(({ path: file }: Json) => file)).toEqual([
      path.join(sandbox.home, '.agents/skills/b/SKILL.md'),
    ]);
  });
});

describe('discovery', () => {
  it('happens when it is first needed, and not again for each prompt', async () => {
    put({ '.pi/agent/skills/a/SKILL.md': skill('a'), '.pi/agent/prompts/t.md': 'T $1', '.agents/skills/b/SKILL.md': skill('b') });
    // Notes each path that the program looks at.
    const log = path.join(sandbox.root, 'looked-at');
    const spy = path.join(sandbox.root, 'spy.mjs');
    writeFileSync(
      spy,
      `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
for (const [owner, names] of [[fs.promises, ['readdir', 'open', 'stat', 'realpath', 'readFile']], [fs, ['readdirSync', 'openSync', 'statSync', 'realpathSync', 'readFileSync']]])
  for (const name of names) {
    const real = owner[name];
    owner[name] = Object.assign((target, ...more) => {
      fs.appendFileSync(${JSON.stringify(log)}, name + ' ' + target + '\\n');
      return real(target, ...more);
    }, real);
  }
syncBuiltinESMExports();
`,
    );
    const pi = start([], { NODE_OPTIONS: `--import=${spy}` });
    const looks = (): string[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /\/(?:skills|prompts)(?:\/|$)/.test(line));
    await pi.prompt('first');
    expect(looks().filter((line) => /^readdir/.test(line)).length).toBeGreaterThanOrEqual(3);
    const before = looks().length;
    await pi.prompt('second');
    await pi.prompt('/t x');
    await commands(pi);
    await diagnostics(pi);
    const templates = looks().slice(before);
    // The templates had not been needed before the first slash: their folder is read now, once, and nothing else.
    expect(templates.filter((line) => !line.includes('/prompts'))).toEqual([]);
    expect(templates.filter((line) => /^open/.test(line))).toHaveLength(1);
    const now = looks().length;
    await pi.prompt('/t y');
    await pi.prompt('third');
    expect(looks().slice(now)).toEqual([]);
    expect(systemOf(4)).toContain('about b');
  });

  it('loads what is in the home folder once, as the user’s, when pi runs there', async () => {
    put({ '.pi/agent/skills/mine/SKILL.md': skill('mine'), '.pi/agent/prompts/t.md': 'T' });
    sandbox.cwd = sandbox.home;
    const pi = start();
    expect((await commands(pi)).map(({ name, location }: Json) => [name, location])).toEqual([
      ['t', 'user'],
      ['skill:mine', 'user'],
    ]);
    expect(await diagnostics(pi)).toEqual([]);
  });

  it('of 1 000 skills and 1 000 templates is complete', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => at);
    put(Object.fromEntries(many.map((at) => [`.pi/agent/skills/s${at}/SKILL.md`, skill(`s${at}`)])));
    put(Object.fromEntries(many.map((at) => [`.pi/agent/prompts/t${at}.md`, `Text ${at}: $@`])));
    const pi = start();
    expect(await commands(pi)).toHaveLength(2000);
    await pi.prompt('/t999 x');
    expect(JSON.stringify(llm.requests[0]?.body.messages)).toContain('Text 999: x');
    expect(systemOf(0).match(/<skill>/g)).toHaveLength(1000);
  });
});

describe('a skill of the public kind', () => {
  it('has scripts and references beside it, found from its folder', async () => {
    put({
      '.agents/skills/pdf/SKILL.md':
        '---\nname: pdf\ndescription: >-\n  Reads PDF forms. Use when: forms are mentioned.\nlicense: Complete terms in LICENSE.txt\nallowed-tools: Bash Read\nmetadata:\n  version: "1.0"\n---\n# PDF\n\nSee [the guide](references/GUIDE.md), then run `./scripts/list.sh`.\n',
      '.agents/skills/pdf/references/GUIDE.md': 'GUIDE-TEXT',
      '.agents/skills/pdf/scripts/list.sh': '#!/bin/sh\necho "LISTED $1 from $(basename "$PWD")"\n',
      '.agents/skills/pdf/LICENSE.txt': 'terms',
    });
    const folder = path.join(sandbox.home, '.agents/skills/pdf');
    llm.push({
      toolCalls: [
        { name: 'read', args: { path: `${folder}/SKILL.md` } },
        { name: 'read', args: { path: `${folder}/references/GUIDE.md` } },
        { name: 'bash', args: { command: `cd ${folder} && sh ./scripts/list.sh form.pdf` } },
      ],
    });
    const pi = start();
    const events = await pi.prompt('/skill:pdf form.pdf');
    const asked = JSON.stringify(llm.requests[0]?.body.messages);
    expect(asked).toContain(`Paths in this skill count from ${folder}`);
    expect(asked).toContain('User: form.pdf');
    expect(asked).not.toContain('allowed-tools');
    expect(systemOf(0)).toContain(`<location>${folder}/SKILL.md</location>`);
    const results = events.filter(({ type }) => type === 'tool_execution_end').map(({ result }) => result.content[0].text);
    for (const text of ['# PDF', 'GUIDE-TEXT', 'LISTED form.pdf from pdf']) expect(results.join('\n')).toContain(text);
  });
});

describe('what the program brings along', () => {
  const ours = (list: Json[]): Json[] => list.filter(({ sourceInfo }: Json) => sourceInfo.source === 'builtin');

  it('is off until the settings ask for it', async () => {
    expect(ours(await commands(start()))).toEqual([]);
    writeFileSync(path.join(sandbox.agentDir, 'settings.json'), '{"builtin": ["prompts"]}');
    expect(ours(await commands(start())).map(({ name }: Json) => name)).toEqual(['commit', 'explain', 'fix-tests', 'review']);
    writeFileSync(path.join(sandbox.agentDir, 'settings.json'), '{"builtin": ["skills", "prompts"]}');
    const all = ours(await commands(start()));
    expect(all.map(({ name }: Json) => name)).toEqual([
      'commit',
      'explain',
      'fix-tests',
      'review',
      'skill:debug-failing-test',
      'skill:review-change',
      'skill:write-extension',
      'skill:write-skill',
    ]);
    expect(ours(await commands(start(['--no-skills', '--no-prompt-templates'])))).toEqual([]);
  });

  it('never takes a name from the user, and says nothing of it', async () => {
    writeFileSync(path.join(sandbox.agentDir, 'settings.json'), '{"builtin": ["skills", "prompts"]}');
    put({ '.pi/agent/prompts/review.md': 'MINE $1', '.pi/agent/skills/write-skill/SKILL.md': skill('write-skill', 'mine') });
    const pi = start();
    await pi.prompt('/review x');
    expect(JSON.stringify(llm.requests[0]?.body.messages)).toContain('MINE x');
    expect(systemOf(0).match(/<name>write-skill<\/name>/g)).toHaveLength(1);
    expect(await diagnostics(pi)).toEqual([]);
  });
});

it('a skill that is gone when it is invoked is sent as it was typed, and reported', async () => {
  put({ '.pi/agent/skills/a/SKILL.md': skill('a') });
  const pi = start();
  await commands(pi);
  rmSync(path.join(sandbox.agentDir, 'skills/a'), { recursive: true });
  await pi.prompt('/skill:a now');
  expect(JSON.stringify(llm.requests[0]?.body.messages)).toContain('/skill:a now');
  expect(await diagnostics(pi)).toEqual([expect.objectContaining({ kind: 'skill', severity: 'error' })]);
});
