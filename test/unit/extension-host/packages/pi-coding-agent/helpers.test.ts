import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCoded } from '../../../../../core/base/coded-error.js';
import * as pi from '../../../../../core/extension-host/packages/pi-coding-agent.js';
import { planCompaction } from '../../../../../core/session/compaction-plan.js';
import { createSession } from '../../../../../core/session/session.js';
import { AT, answer, answered, call, chain, entry, result, said, user } from '../../../session/builders.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pi-pca-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, '');

describe('texts for a model', () => {
  it('are cut at whole lines, without a newline at the end', () => {
    expect(pi.truncateHead('a\nb\nc\n', { maxLines: 2 })).toMatchObject({
      content: 'a\nb',
      truncated: true,
      truncatedBy: 'lines',
      totalLines: 3,
      outputLines: 2,
      outputBytes: 3,
    });
    expect(pi.truncateTail('a\nb\nc\n', { maxLines: 2 })).toMatchObject({
      content: 'b\nc',
      totalLines: 3,
      outputLines: 2,
      outputBytes: 3,
    });
    expect(pi.truncateHead('abcdef', { maxBytes: 3 })).toMatchObject({
      content: '',
      firstLineExceedsLimit: true,
      outputLines: 0,
    });
    expect(pi.truncateTail('abcdef', { maxBytes: 3 })).toMatchObject({ content: 'def', lastLinePartial: true });
    expect(pi.truncateHead('ab\n')).toMatchObject({ content: 'ab\n', truncated: false, truncatedBy: null });
    expect(pi.truncateLine('x'.repeat(600))).toEqual({ text: `${'x'.repeat(500)}... [truncated]`, wasTruncated: true });
    expect([10, 2048, 1536, 5 * 1024 * 1024].map(pi.formatSize)).toEqual(['10B', '2.0KB', '1.5KB', '5.0MB']);
  });

  it('are made of messages of every role', () => {
    const messages = pi.convertToLlm([
      user('q'),
      { role: 'bashExecution', command: 'ls', output: 'a.txt', exitCode: 0, cancelled: false, truncated: false, timestamp: AT },
      {
        role: 'bashExecution',
        command: 'x',
        output: '',
        cancelled: false,
        truncated: false,
        excludeFromContext: true,
        timestamp: AT,
      },
      { role: 'custom', customType: 'note', content: 'noted', display: false, timestamp: AT },
      { role: 'branchSummary', summary: 'went there', fromId: 'x', timestamp: AT },
      { role: 'compactionSummary', summary: 'long ago', tokensBefore: 1, timestamp: AT },
      answer([{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'yes' }, call('1'), call('2', 'edit')]),
      result('1', 'z'.repeat(2100)),
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'user', 'user', 'user', 'assistant', 'toolResult']);
    const text = pi.serializeConversation(messages);
    expect(text).toContain('[User]: q');
    expect(text).toContain('a.txt');
    expect(text).toContain('[User]: noted');
    expect(text).toContain('<summary>\nlong ago\n</summary>');
    expect(text).toContain('[Assistant thinking]: hm\n\n[Assistant]: yes');
    expect(text).toContain('[Assistant tool calls]: read(path="a.txt"); edit(path="a.txt")');
    expect(text).toMatch(/\[Tool result\]: z{2000}\n\n\[\.\.\. 100 more characters truncated\]$/);
  });
});

describe('reading entries without a session', () => {
  it('builds the context of the last entry, or of another one', () => {
    const entries = chain();
    expect(pi.buildSessionContext(entries).messages).toHaveLength(4);
    expect(pi.buildSessionContext(entries, 'aaaaaaa2').messages).toHaveLength(2);
    expect(pi.buildSessionContext(entries, null).messages).toEqual([]);
    expect(pi.buildSessionContext(entries, 'nope').messages).toHaveLength(4);
    expect(pi.buildContextEntries(entries, 'aaaaaaa3').map(({ id }) => id)).toEqual(['aaaaaaa1', 'aaaaaaa2', 'aaaaaaa3']);
  });

  it('turns an entry into what it puts into the context', () => {
    const [first] = chain();
    expect(first && pi.sessionEntryToContextMessages(first)).toEqual([user([{ type: 'text', text: 'first question' }])]);
    expect(pi.sessionEntryToContextMessages(entry('custom', 'x', null))).toEqual([]);
    const kept = entry('compaction', 'c', null, { summary: 's', tokensBefore: 1, retainedTail: [user('kept')] });
    expect(pi.sessionEntryToContextMessages(kept).map(({ role }) => role)).toEqual(['compactionSummary', 'user']);
  });

  it('parses what is JSON of a file and passes over the rest', () => {
    expect(pi.parseSessionEntries('{"type":"session","id":"x"}\nbad\n\n{"type":"message","id":"1"}\n')).toEqual([
      { type: 'session', id: 'x' },
      { type: 'message', id: '1' },
    ]);
    const old = [
      { type: 'session', id: 'x' },
      { type: 'message', message: user('q') },
    ] as unknown as Parameters<typeof pi.migrateSessionEntries>[0];
    pi.migrateSessionEntries(old);
    expect(old).toMatchObject([{ version: pi.CURRENT_SESSION_VERSION }, { id: expect.any(String), parentId: null }]);
  });

  it('finds the place to cut as the program does', () => {
    const entries = [
      said('1', null, 'a'.repeat(40)),
      answered('2', '1', 'b'.repeat(40)),
      said('3', '2', 'c'.repeat(40)),
      entry('message', '4', '3', { message: answer([call('x')]) }),
      entry('message', '5', '4', { message: result('x', 'd'.repeat(400)) }),
      answered('6', '5', 'e'.repeat(40)),
    ];
    const items = entries.map((one) => ({ id: one.id, message: pi.sessionEntryToContextMessages(one)[0] ?? user('') }));
    for (const keep of [5, 20, 110, 119, 130]) {
      const cut = pi.findCutPoint(entries, 0, entries.length, keep);
      const planned = planCompaction({ items, carried: [], previous: undefined, isFresh: false, tokensBefore: 0 }, keep);
      expect(entries[cut.firstKeptEntryIndex]?.id).toBe(planned.ok ? planned.plan.firstKeptEntryId : '1');
    }
    expect(pi.findCutPoint(entries, 0, 6, 20)).toEqual({ firstKeptEntryIndex: 5, turnStartIndex: 2, isSplitTurn: true });
    expect(pi.findCutPoint(entries, 0, 6, 119)).toEqual({ firstKeptEntryIndex: 2, turnStartIndex: -1, isSplitTurn: false });
    expect(pi.findCutPoint(entries, 0, 6, 1000)).toEqual({ firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false });
    expect([0, 1, 2, 3, 4, 5].map((at) => pi.findTurnStartIndex(entries, at, 0))).toEqual([0, 0, 2, 2, 2, 2]);
  });

  it('tells what a branch has that another has not', () => {
    const session = createSession({ cwd: '/work' });
    const manager = pi.SessionManager.inMemory();
    const a = manager.appendMessage(user('one'));
    const b = manager.appendMessage(answer('two'));
    manager.branch(a);
    const c = manager.appendMessage(user('three'));
    expect(pi.collectEntriesForBranchSummary(manager, b, c)).toEqual({ entries: [manager.getEntry(b)], commonAncestorId: a });
    expect(pi.prepareBranchEntries(manager.getEntries())).toMatchObject({
      messages: [user('one'), answer('two'), user('three')],
    });
    session.dispose();
  });
});

describe('what changed between two texts', () => {
  it('is shown with numbers, and as a patch', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n';
    const after = before.replace('c', 'C').concat('l\n');
    expect(pi.generateDiffString(before, after)).toEqual({
      diff: '  1 a\n  2 b\n- 3 c\n+ 3 C\n  4 d\n  5 e\n  6 f\n  7 g\n  8 h\n  9 i\n 10 j\n 11 k\n+12 l',
      firstChangedLine: 3,
    });
    expect(pi.generateDiffString('same', 'same')).toEqual({ diff: '', firstChangedLine: undefined });
    expect(pi.generateUnifiedPatch('f.txt', 'a\nb\n', 'a\nc\n')).toBe('--- f.txt\n+++ f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n');
    expect(plain(pi.renderDiff('+1 a\n-1 b'))).toBe('+1 a\n-1 b');
    expect(pi.renderDiff('+1 a\n-1 b')).toContain('\u001b[');
  });
});

describe('code', () => {
  it('keeps its text and gets colours', () => {
    const code = 'const x = "a<b>&"; // why\n/* two\nlines */';
    const lines = pi.highlightCode(code, 'typescript');
    expect(lines.map(plain).join('\n')).toBe(code);
    expect(lines[0]).toContain('\u001b[');
    // A colour never reaches over a line's end.
    for (const line of lines) expect((line.match(/\u001b\[38/g) ?? []).length).toBe((line.match(/\u001b\[39m/g) ?? []).length);
    expect(pi.highlightCode('foo', 'no-such-language').map(plain)).toEqual(['foo']);
    expect(pi.highlightCode('foo').map(plain)).toEqual(['foo']);
  });

  it('has a language that its name tells', () => {
    expect(['a.ts', 'b.rs', 'c.py', 'Dockerfile', 'd.yml', 'e.sh', 'x.unknown'].map(pi.getLanguageFromPath)).toEqual([
      'typescript',
      'rust',
      'python',
      'dockerfile',
      'yaml',
      'bash',
      undefined,
    ]);
  });
});

describe('front matter', () => {
  it('is YAML and never code', () => {
    expect(pi.parseFrontmatter('---\nname: a\nx: [1, 2]\n---\nbody\n')).toEqual({
      frontmatter: { name: 'a', x: [1, 2] },
      body: 'body',
    });
    expect(pi.parseFrontmatter('no')).toEqual({ frontmatter: {}, body: 'no' });
    expect(pi.parseFrontmatter('---\n---\nbody')).toEqual({ frontmatter: {}, body: 'body' });
    expect(pi.stripFrontmatter('---\r\nname: a\r\n---\r\n\r\nbody\r\n')).toBe('body');
    expect(() => pi.parseFrontmatter('---\na: : b: {\n---\nbody')).toThrow();
    const evil = '---js\n{ x: globalThis.evil = true }\n---\nbody';
    expect(pi.parseFrontmatter(evil)).toEqual({ frontmatter: {}, body: evil });
    expect(Reflect.get(globalThis, 'evil')).toBeUndefined();
  });
});

describe('keys', () => {
  it('are named by their actions', () => {
    expect(pi.keyText('app.tools.expand')).toBe('ctrl+o');
    expect(pi.keyText('tui.select.cancel')).toBe('escape/ctrl+c');
    expect(pi.keyText('nobody.knows')).toBe('');
    expect(plain(pi.keyHint('app.tools.expand', 'to expand'))).toBe('ctrl+o to expand');
    expect(plain(pi.rawKeyHint('x', 'do'))).toBe('x do');
  });
});

describe('the command line', () => {
  it('is read as the program reads it', () => {
    const args = pi.parseArgs([
      '-p',
      'hi',
      '--model',
      'x',
      '--foo',
      'bar',
      '@f',
      '--tools',
      'a,b',
      '--zzz',
      '--na=1',
      '-e',
      'one',
      '-e',
      'two',
      '-q',
      '--thinking',
      'bad',
      '-na',
    ]);
    expect(args).toMatchObject({
      print: true,
      messages: ['hi'],
      model: 'x',
      fileArgs: ['f'],
      tools: ['a', 'b'],
      extensions: ['one', 'two'],
      projectTrustOverride: false,
    });
    expect([...args.unknownFlags]).toEqual([
      ['foo', 'bar'],
      ['zzz', true],
      ['na', '1'],
    ]);
    expect(args.diagnostics.map(({ type }) => type)).toEqual(['error', 'warning']);
  });
});

describe('events of tools', () => {
  it('are told apart by the tool', () => {
    expect(pi.isToolCallEventType('bash', { toolName: 'bash' })).toBe(true);
    expect(pi.isToolCallEventType('bash', { toolName: 'read' })).toBe(false);
    expect([pi.isBashToolResult, pi.isEditToolResult].map((is) => is({ toolName: 'edit' }))).toEqual([false, true]);
  });
});

describe('the event bus', () => {
  it('tells listeners at once, and goes on after one that fails', () => {
    const bus = pi.createEventBus();
    const heard: unknown[] = [];
    bus.on('x', () => {
      throw new Error('mine');
    });
    const stop = bus.on('x', (data) => heard.push(data));
    bus.emit('x', 1);
    stop();
    bus.emit('x', 2);
    expect(heard).toEqual([1]);
  });
});

describe('images', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

  it('come back as they are within the limits, and are refused beyond them', async () => {
    expect(await pi.resizeImage({ data: png, mimeType: 'image/png' })).toEqual({
      data: png,
      mimeType: 'image/png',
      originalWidth: 1,
      originalHeight: 1,
      width: 1,
      height: 1,
      wasResized: false,
    });
    expect(await pi.resizeImage(Buffer.from('no image'), 'image/png')).toBeNull();
    const large = await pi
      .resizeImage({ data: png, mimeType: 'image/png' }, undefined, { maxWidth: 0 })
      .catch((error: unknown) => error);
    expect(isCoded(large, 'PACKAGE_IMAGE_UNSUPPORTED')).toBe(true);
    expect(await pi.convertToPng(png, 'image/png')).toEqual({ data: png, mimeType: 'image/png' });
    expect(await pi.convertToPng('x', 'image/jpeg')).toBeNull();
  });
});

describe('skills', () => {
  it('are found in the places that are given, once each', () => {
    mkdirSync(join(dir, 'skills/one'), { recursive: true });
    mkdirSync(join(dir, 'skills/bare'));
    writeFileSync(join(dir, 'skills/one/SKILL.md'), '---\nname: one\ndescription: does <this>\n---\nbody');
    writeFileSync(join(dir, 'skills/bare/SKILL.md'), 'no head');
    symlinkSync(join(dir, 'skills'), join(dir, 'skills/loop'));
    const { skills, diagnostics } = pi.loadSkills({ cwd: dir, skillPaths: ['skills', 'skills'], includeDefaults: false });
    expect(skills).toMatchObject([
      { name: 'one', description: 'does <this>', filePath: join(dir, 'skills/one/SKILL.md'), baseDir: join(dir, 'skills/one') },
    ]);
    expect(diagnostics).toMatchObject([{ type: 'warning', path: join(dir, 'skills/bare/SKILL.md') }]);
    expect(pi.formatSkillsForPrompt(skills)).toContain('<description>does &lt;this&gt;</description>');
    expect(pi.formatSkillsForPrompt([])).toBe('');
    expect(pi.parseSkillBlock('<skill name="a" location="/x">\nbody\n</skill>\n\nargs')).toEqual({
      name: 'a',
      location: '/x',
      content: 'body',
      userMessage: 'args',
    });
    expect(pi.parseSkillBlock('text')).toBeNull();
  });
});

describe('decisions about projects', () => {
  it('hold below a folder until they are taken back', () => {
    const store = new pi.ProjectTrustStore(join(dir, 'agent'));
    mkdirSync(join(dir, 'project/sub'), { recursive: true });
    expect(store.get(join(dir, 'project'))).toBeNull();
    store.set(join(dir, 'project'), true);
    expect(store.getEntry(join(dir, 'project/sub'))).toEqual({ path: join(dir, 'project'), decision: true });
    store.set(join(dir, 'project'), null);
    expect(store.get(join(dir, 'project/sub'))).toBeNull();
  });
});

describe('stored keys', () => {
  it('are read as the file has them; a broken file has none', async () => {
    const file = join(dir, 'auth.json');
    writeFileSync(file, '{"anthropic":{"type":"api_key","key":"k"},"odd":1}');
    expect(pi.readStoredCredential('anthropic', file)).toEqual({ type: 'api_key', key: 'k' });
    expect(pi.readStoredCredential('odd', file)).toBeUndefined();
    expect(await pi.AuthStorage.create(file).getApiKey('anthropic')).toBe('k');
    writeFileSync(file, '{');
    expect(pi.readStoredCredential('anthropic', file)).toBeUndefined();
  });
});

describe('the shell', () => {
  it('is bash, or the one that is asked for when it is there', () => {
    expect(pi.getShellConfig('/bin/sh')).toEqual({ shell: '/bin/sh', args: ['-c'] });
    expect(() => pi.getShellConfig(join(dir, 'none'))).toThrow('Custom shell path not found');
  });
});
