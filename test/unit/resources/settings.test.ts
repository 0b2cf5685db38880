import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isGroup, type SettingMembers } from '../../../core/resources/setting-kinds.js';
import { SETTINGS, type Settings } from '../../../core/resources/setting-table.js';
import { loadSettings } from '../../../core/resources/settings.js';
import { settingsJsonSchema } from '../../../core/resources/settings-schema.js';
import { createSettingsWriter } from '../../../core/resources/settings-writer.js';
import { tempDir } from './temp-dir.js';

function load(global: unknown, project?: unknown, projectTrusted = true) {
  const text = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  const root = tempDir({
    ...(global !== undefined && { 'agent/settings.json': text(global) }),
    ...(project !== undefined && { 'work/.pi/settings.json': text(project) }),
  });
  return { root, ...loadSettings({ agentDir: join(root, 'agent'), cwd: join(root, 'work'), projectTrusted }) };
}

describe('loading', () => {
  it('has the documented defaults when there is no file', () => {
    const { settings, diagnostics } = load(undefined);
    expect(diagnostics).toEqual([]);
    expect(settings).toEqual({
      thinkingBudgets: {},
      steeringMode: 'one-at-a-time',
      followUpMode: 'one-at-a-time',
      streamIdleTimeoutMs: 120_000,
      compaction: { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 },
      branchSummary: { reserveTokens: 16384, skipPrompt: false },
      retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, provider: { maxRetries: 0, maxRetryDelayMs: 60000 } },
      images: { autoResize: true, blockImages: false },
      packages: [],
      extensions: [],
      skills: [],
      prompts: [],
      builtin: [],
      enableSkillCommands: true,
      extensionNames: {},
      defaultProjectTrust: 'ask',
    });
  });

  it('merges the project over the global file, group by group', () => {
    const { settings } = load(
      { steeringMode: 'all', compaction: { enabled: false, reserveTokens: 1 }, retry: { provider: { timeoutMs: 5 } } },
      { compaction: { reserveTokens: 2 }, retry: { provider: { maxRetries: 1 } } },
    );
    expect(settings).toMatchObject({
      steeringMode: 'all',
      compaction: { enabled: false, reserveTokens: 2, keepRecentTokens: 20000 },
      retry: { maxRetries: 3, provider: { timeoutMs: 5, maxRetries: 1 } },
    });
  });

  it('does not look at the project without trust', () => {
    const { settings, project } = load({}, { steeringMode: 'all' }, false);
    expect(settings.steeringMode).toBe('one-at-a-time');
    expect(project).toBeUndefined();
  });

  it('keeps what each file says, unknown keys too', () => {
    const { global, project } = load({ extensions: ['a.ts'], theme: 'dark', mine: { x: [1] } }, { extensions: ['b.ts'] });
    expect(global.known.extensions).toEqual(['a.ts']);
    expect(project?.known.extensions).toEqual(['b.ts']);
    expect(global.raw).toMatchObject({ theme: 'dark', mine: { x: [1] } });
    expect(project?.baseDir).toMatch(/\/work\/\.pi$/);
  });

  it('reports a wrong type with path, line and key, and takes the next source', () => {
    const { settings, diagnostics, root } = load(
      { steeringMode: 'all' },
      '{\n  "steeringMode": 42,\n  "compaction": {\n    "enabled": "yes",\n    "reserveTokens": 7\n  }\n}',
    );
    expect(settings).toMatchObject({ steeringMode: 'all', compaction: { enabled: true, reserveTokens: 7 } });
    const path = join(root, 'work/.pi/settings.json');
    expect(diagnostics).toEqual([
      {
        kind: 'settings',
        severity: 'warning',
        path,
        line: 2,
        message: `${path}, line 2: "steeringMode" must be "all" or "one-at-a-time", not 42; ignored`,
      },
      {
        kind: 'settings',
        severity: 'warning',
        path,
        line: 4,
        message: `${path}, line 4: "compaction.enabled" must be true or false, not "yes"; ignored`,
      },
    ]);
  });

  it.each([
    ['{"compaction": "yes"}', 'must be an object'],
    ['{"skills": "not-a-list"}', 'a list of texts'],
    ['{"skills": [1]}', 'a list of texts'],
    ['{"retry": {"maxRetries": -1}}', 'at least 0'],
    ['{"retry": {"baseDelayMs": 1e12}}', 'from 0 to 2147483647'],
    ['{"compaction": {"reserveTokens": 1.5}}', 'whole number'],
    ['{"compaction": {"reserveTokens": 1e999}}', 'whole number'],
    ['{"packages": [{"skills": []}]}', '"source"'],
    ['{"packages": [{"source": "x", "skills": "all"}]}', '"source"'],
    ['{"defaultThinkingLevel": "very"}', '"off" or'],
    ['{"extensionNames": []}', 'an object of extensions'],
    ['{"builtin": ["themes"]}', '"skills" and "prompts"'],
    ['{"builtin": true}', '"skills" and "prompts"'],
    ['[]', 'must hold a JSON object'],
    ['"text"', 'must hold a JSON object'],
    ['{ not json', 'line 1, column 3'],
    ['{"a": 1', 'line 1'],
  ])('reports %s and goes on with defaults', (text, says) => {
    const { settings, diagnostics } = load(text);
    expect(diagnostics.map((d) => d.message)).toEqual([expect.stringContaining(says)]);
    expect(settings).toEqual(load(undefined).settings);
  });

  it.each([
    ['an empty file', ''],
    ['a blank file', ' \n'],
    ['null for "not set"', '{"steeringMode": null, "compaction": null}'],
  ])('takes %s without a word', (_, text) => {
    expect(load(text).diagnostics).toEqual([]);
  });

  it('reads byte order marks, comments and trailing commas', () => {
    expect(load('\uFEFF{ // mine\n "steeringMode": "all", }').settings.steeringMode).toBe('all');
    const root = tempDir({ 'settings.json': Buffer.from('\uFEFF{"steeringMode": "all"}', 'utf16le') });
    expect(loadSettings({ agentDir: root, cwd: root, projectTrusted: false }).settings.steeringMode).toBe('all');
  });

  it("refuses a project the settings that are the user's alone, and keeps extension trust apart", () => {
    const { settings, project, diagnostics } = load(
      { extensionTrust: { default: 'restricted' } },
      { defaultProjectTrust: 'always', httpProxy: 'http://evil', extensionTrust: { default: 'trusted' } },
    );
    expect(settings).toMatchObject({ defaultProjectTrust: 'ask', extensionTrust: { default: 'restricted' } });
    expect(settings.httpProxy).toBeUndefined();
    expect(project?.known.extensionTrust).toEqual({ default: 'trusted' });
    expect(diagnostics.map((d) => d.message)).toEqual([
      expect.stringContaining('"httpProxy"'),
      expect.stringContaining('"defaultProjectTrust"'),
    ]);
  });

  it('trusts no extension while the file that says whom to trust is no JSON', () => {
    const broken = load('{ "theme": "x" "extensionTrust": { "overrides": {} } }');
    expect(broken.global.known.extensionTrust).toEqual({ default: 'restricted' });
    expect(broken.diagnostics.map(({ message }) => message).join()).toMatch(/extensions run restricted/);
    expect(load('{ "theme": ').global.known.extensionTrust).toBeUndefined();
  });

  it('lets the older name of the idle limit count until the new one is given', () => {
    expect(load({ httpIdleTimeoutMs: 600_000 }).settings.streamIdleTimeoutMs).toBe(600_000);
    expect(load({ httpIdleTimeoutMs: 600_000, streamIdleTimeoutMs: 0 }).settings.streamIdleTimeoutMs).toBe(0);
  });

  it('reports a directory and a file that may not be read', () => {
    const root = tempDir();
    mkdirSync(join(root, 'settings.json'));
    expect(loadSettings({ agentDir: root, cwd: root, projectTrusted: false }).diagnostics).toEqual([
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('is not a file') }),
    ]);
  });

  it('is quiet when the directory cannot hold settings at all', () => {
    const root = tempDir({ '.pi': 'a file' });
    expect(loadSettings({ agentDir: join(root, 'none'), cwd: root, projectTrusted: true }).diagnostics).toEqual([]);
  });

  it('reads a file once that is both the global and the project one', () => {
    const root = tempDir({ '.pi/settings.json': '{"defaultProjectTrust": "always"}' });
    const { settings, diagnostics } = loadSettings({ agentDir: join(root, '.pi'), cwd: root, projectTrusted: true });
    expect(settings.defaultProjectTrust).toBe('always');
    expect(diagnostics).toEqual([]);
  });

  it('is not fooled by prototype keys', () => {
    const { settings } = load(
      '{"__proto__": {"steeringMode": "all"}, "constructor": 1, "compaction": {"__proto__": {"enabled": false}}}',
    );
    expect(settings).toMatchObject({ steeringMode: 'one-at-a-time', compaction: { enabled: true } });
  });

  it('knows the types from the table', () => {
    expectTypeOf<Settings['steeringMode']>().toEqualTypeOf<'all' | 'one-at-a-time'>();
    expectTypeOf<Settings['defaultModel']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Settings['compaction']['enabled']>().toEqualTypeOf<boolean>();
    expectTypeOf<Settings['skills']>().toEqualTypeOf<readonly string[]>();
  });
});

describe('writing', () => {
  it('keeps comments, order and unknown keys, and is read back', async () => {
    const root = tempDir({ 'settings.json': '{\n  // mine\n  "keepMe": {"a": [1]},\n  "steeringMode": "all"\n}\n' });
    const file = join(root, 'settings.json');
    const writer = createSettingsWriter(file);
    expect(await writer.update('followUpMode', 'all')).toEqual({ ok: true });
    expect(await writer.update('compaction.enabled', false)).toEqual({ ok: true });
    expect(readFileSync(file, 'utf8')).toBe(
      '{\n  // mine\n  "keepMe": {"a": [1]},\n  "steeringMode": "all",\n  "followUpMode": "all",\n  "compaction": {\n    "enabled": false\n  }\n}\n',
    );
    expect(loadSettings({ agentDir: root, cwd: root, projectTrusted: false }).settings).toMatchObject({
      followUpMode: 'all',
      compaction: { enabled: false },
    });
  });

  it('makes file and directory when they are missing', async () => {
    const file = join(tempDir(), 'deep/agent/settings.json');
    await createSettingsWriter(file).update('steeringMode', 'all');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ steeringMode: 'all' });
  });

  it('writes updates made at once one after another, and sees what others wrote between', async () => {
    const root = tempDir();
    const file = join(root, 'settings.json');
    const [ours, theirs] = [createSettingsWriter(file), createSettingsWriter(file)];
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => ours.update(key, key)));
    await theirs.update('e', 'e');
    void ours.update('f', 'f');
    await ours.idle();
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(readdirSync(root)).toEqual(['settings.json']);
  });

  it.each(['{ not json', '{"compaction": "yes"}', '[]'])('leaves %s alone and says why', async (text) => {
    const file = join(tempDir({ 'settings.json': text }), 'settings.json');
    const result = await createSettingsWriter(file).update('compaction.enabled', true);
    expect(result).toMatchObject({
      ok: false,
      diagnostic: { path: file, message: expect.stringContaining('"compaction.enabled" was not saved') },
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('goes on after an update that failed', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'settings.json'));
    const writer = createSettingsWriter(join(root, 'settings.json'));
    expect(await writer.update('a', 1)).toMatchObject({ ok: false });
    expect(await writer.update('a', 2)).toMatchObject({ ok: false });
    expect(readdirSync(root)).toEqual(['settings.json']);
  });

  it('keeps a link, the mode and a byte order mark', async () => {
    const root = tempDir({ 'dotfiles/pi.json': '\uFEFF{}' });
    const [link, target] = [join(root, 'settings.json'), join(root, 'dotfiles/pi.json')];
    symlinkSync(target, link);
    chmodSync(target, 0o600);
    await createSettingsWriter(link).update('steeringMode', 'all');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readFileSync(target, 'utf8')).toBe('\uFEFF{\n  "steeringMode": "all"\n}\n');
  });
});

describe('the JSON Schema', () => {
  const validate = new Ajv({ strict: true }).compile(settingsJsonSchema());
  const docs = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

  it('is the one that is published, and a file may name it', () => {
    expect(JSON.parse(docs('schema/settings.schema.json'))).toEqual(settingsJsonSchema());
    expect(validate({ $schema: 'https://example.org/settings.schema.json', steeringMode: 'all' })).toBe(true);
    expect(load({ $schema: 'https://example.org/settings.schema.json', steeringMode: 'all' }).diagnostics).toEqual([]);
  });

  it('has no setting that the documentation leaves out', () => {
    const page = docs('settings.md');
    const keys = (members: SettingMembers, above = ''): string[] =>
      Object.entries(members).flatMap(([key, entry]) =>
        isGroup(entry) ? keys(entry.members, `${above}${key}.`) : [above + key],
      );
    expect(keys(SETTINGS).length).toBeGreaterThan(30);
    expect(keys(SETTINGS).filter((key) => !page.includes(`\n| \`${key}\` |`))).toEqual([]);
  });

  it('describes an example in the documentation', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(docs('settings.md')) ?? [];
    expect(validate(JSON.parse(example))).toBe(true);
    expect(load(example).diagnostics).toEqual([]);
  });

  it('accepts the defaults and unknown keys', () => {
    expect(validate({ ...load(undefined).settings, theme: 'dark' })).toBe(true);
  });

  it.each([
    { steeringMode: 42 },
    { compaction: { enabled: 'yes' } },
    { skills: [1] },
    { packages: [{}] },
    { retry: { maxRetries: -1 } },
  ])('refuses %j, as loading does', (settings) => {
    expect(validate(settings)).toBe(false);
    expect(load(settings).diagnostics).toHaveLength(1);
  });
});
