import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContextFiles, MAX_CONTEXT_FILE_BYTES } from '../../../core/resources/context-files.js';
import { createPromptResourceLoader, loadPromptResources } from '../../../core/resources/prompt-resources.js';
import { tempDir } from './temp-dir.js';

async function contents(files: Readonly<Record<string, string | Uint8Array>>, cwd = 'work') {
  const root = tempDir({ 'work/.keep': '', ...files });
  mkdirSync(join(root, cwd), { recursive: true });
  const { files: found, diagnostics } = await loadContextFiles({ agentDir: join(root, 'agent'), cwd: join(root, cwd) });
  return { root, texts: found.map((file) => file.content), paths: found.map((file) => file.path), diagnostics };
}

describe('context files', () => {
  it('come from the agent directory, then from outermost to innermost', async () => {
    const { texts, paths, root } = await contents(
      { 'agent/AGENTS.md': 'global', 'work/AGENTS.md': 'parent', 'work/a/CLAUDE.md': 'middle', 'work/a/b/AGENTS.md': 'own' },
      'work/a/b',
    );
    expect(texts).toEqual(['global', 'parent', 'middle', 'own']);
    expect(paths[3]).toBe(join(root, 'work/a/b/AGENTS.md'));
  });

  it('are one per directory: override, then AGENTS, then CLAUDE', async () => {
    const all = { 'work/AGENTS.override.md': 'O', 'work/AGENTS.md': 'A', 'work/CLAUDE.md': 'C' };
    expect((await contents(all)).texts).toEqual(['O']);
    expect((await contents({ 'work/AGENTS.md': 'A', 'work/CLAUDE.md': 'C' })).texts).toEqual(['A']);
    expect((await contents({ 'work/CLAUDE.md': 'C' })).texts).toEqual(['C']);
  });

  it('may be silenced by a blank override', async () => {
    expect((await contents({ 'work/AGENTS.override.md': '\n', 'work/AGENTS.md': 'A' })).texts).toEqual([]);
  });

  it('lose their byte order mark and keep everything else', async () => {
    expect((await contents({ 'work/AGENTS.md': '\uFEFFrule ü\r\nsecond\n' })).texts).toEqual(['rule ü\r\nsecond\n']);
  });

  it('are skipped with a diagnostic when they are directories, and the next name has its turn', async () => {
    const { texts, diagnostics, root } = await contents({ 'work/AGENTS.md/x.txt': 'x', 'work/CLAUDE.md': 'C' });
    expect(texts).toEqual(['C']);
    expect(diagnostics).toEqual([
      {
        kind: 'context',
        severity: 'warning',
        path: join(root, 'work/AGENTS.md'),
        message: expect.stringContaining('not a file'),
      },
    ]);
  });

  it('never wait for a named pipe', async () => {
    const root = tempDir({ 'CLAUDE.md': 'C' });
    execFileSync('mkfifo', [join(root, 'AGENTS.md')]);
    const { files, diagnostics } = await loadContextFiles({ agentDir: join(root, 'agent'), cwd: root });
    expect(files.map((file) => file.content)).toEqual(['C']);
    expect(diagnostics).toHaveLength(1);
  });

  it('are cut when absurdly long, on a character border, and say so', async () => {
    const { texts, diagnostics } = await contents({ 'work/AGENTS.md': `x${'ü'.repeat(MAX_CONTEXT_FILE_BYTES)}` });
    expect(texts[0]).toMatch(/^xü+\n\[cut here: /);
    expect(diagnostics).toEqual([expect.objectContaining({ message: expect.stringContaining('cut at 200 KB') })]);
  });

  it('keep the nearest ones when together they are too much', async () => {
    const directories = Array.from({ length: 8 }, (_, i) => `work/${Array.from({ length: i }, () => 'd').join('/')}`);
    const files = Object.fromEntries(directories.map((dir, i) => [join(dir, 'AGENTS.md'), `${i}:${'x'.repeat(190 * 1024)}`]));
    const { texts, diagnostics } = await contents(files, directories.at(-1));
    expect(texts.map((text) => text[0])).toEqual(['3', '4', '5', '6', '7']);
    expect(diagnostics).toHaveLength(3);
  });

  it('are sent once when two paths are one file', async () => {
    const root = tempDir({ 'AGENTS.md': 'once', 'sub/.keep': '' });
    symlinkSync(join(root, 'AGENTS.md'), join(root, 'sub/AGENTS.md'));
    expect((await loadContextFiles({ agentDir: join(root, 'agent'), cwd: join(root, 'sub') })).files).toHaveLength(1);
    expect((await loadContextFiles({ agentDir: root, cwd: join(root, 'sub') })).files).toHaveLength(1);
  });

  it('may be links to nowhere', async () => {
    const root = tempDir();
    symlinkSync('/nowhere/at/all', join(root, 'AGENTS.md'));
    expect(await loadContextFiles({ agentDir: join(root, 'agent'), cwd: root })).toEqual({ files: [], diagnostics: [] });
  });
});

describe('prompt resources', () => {
  const files = {
    'agent/SYSTEM.md': 'global system',
    'agent/APPEND_SYSTEM.md': 'global append\n',
    'work/.pi/SYSTEM.md': 'project system',
    'work/.pi/APPEND_SYSTEM.md': 'project append',
    'work/AGENTS.md': 'rule',
    'work/extra.md': '\uFEFFfrom a file',
  };
  const at = (root: string, projectTrusted: boolean) => ({
    agentDir: join(root, 'agent'),
    cwd: join(root, 'work'),
    home: root,
    projectTrusted,
  });

  it("take the project's files only with trust", async () => {
    const root = tempDir(files);
    expect(await loadPromptResources(at(root, false))).toMatchObject({
      customPrompt: 'global system',
      appendSystemPrompt: 'global append',
    });
    expect(await loadPromptResources(at(root, true))).toMatchObject({
      customPrompt: 'project system',
      appendSystemPrompt: 'global append\n\nproject append',
    });
  });

  it('let options win over files and come after them', async () => {
    const options = { ...at(tempDir(files), true), systemPrompt: 'flag', appendSystemPrompt: ['one', 'extra.md', ''] };
    expect(await loadPromptResources(options)).toMatchObject({
      customPrompt: 'flag',
      appendSystemPrompt: 'global append\n\nproject append\n\none\n\nfrom a file',
      contextFiles: [{ content: 'rule' }],
    });
  });

  it('take a value for a text unless it names a file', async () => {
    const root = tempDir({ 'sys.md': 'in the file', 'dir/x': '' });
    const text = async (systemPrompt: string) =>
      (await loadPromptResources({ agentDir: root, cwd: root, home: root, projectTrusted: false, systemPrompt })).customPrompt;
    expect(await text('sys.md')).toBe('in the file');
    expect(await text('~/sys.md')).toBe('in the file');
    expect(await text(join(root, 'sys.md'))).toBe('in the file');
    for (const plain of ['sys', 'dir', '', 'sys.md\nmore', 'nul\0byte', 'x'.repeat(5000), 'x'.repeat(300), 'sys.md/below'])
      expect(await text(plain)).toBe(plain);
  });

  it('refuse a file of an option that cannot be used, by name', async () => {
    const root = tempDir({ 'big.md': 'x'.repeat(1024 * 1024 + 1) });
    const loading = loadPromptResources({
      agentDir: root,
      cwd: root,
      home: root,
      projectTrusted: false,
      appendSystemPrompt: ['big.md'],
    });
    await expect(loading).rejects.toMatchObject({ code: 'PROMPT_FILE_UNREADABLE', message: expect.stringContaining('big.md') });
  });

  it('ignore a blank SYSTEM.md and report one that is a directory', async () => {
    const root = tempDir({ 'agent/SYSTEM.md': ' \n', 'agent/APPEND_SYSTEM.md/x': '' });
    const found = await loadPromptResources({ ...at(root, false), noContextFiles: true });
    expect(found).toEqual({
      contextFiles: [],
      diagnostics: [expect.objectContaining({ path: join(root, 'agent/APPEND_SYSTEM.md') })],
    });
  });

  it('are read at the first call, remembered, and read again when told to', async () => {
    const root = tempDir();
    const loader = createPromptResourceLoader({ agentDir: join(root, 'agent'), cwd: root, home: root, projectTrusted: false });
    writeFileSync(join(root, 'AGENTS.md'), 'old');
    const first = await loader.load();
    writeFileSync(join(root, 'AGENTS.md'), 'new');
    expect(await loader.load()).toBe(first);
    expect(first.contextFiles).toMatchObject([{ content: 'old' }]);
    loader.invalidate();
    expect((await loader.load()).contextFiles).toMatchObject([{ content: 'new' }]);
  });

  it('are tried again after a failure', async () => {
    const root = tempDir({ 's.md': 'x'.repeat(1024 * 1024 + 1) });
    const loader = createPromptResourceLoader({
      agentDir: root,
      cwd: root,
      home: root,
      projectTrusted: false,
      systemPrompt: 's.md',
    });
    await expect(loader.load()).rejects.toThrow('s.md');
    writeFileSync(join(root, 's.md'), 'small');
    expect(await loader.load()).toMatchObject({ customPrompt: 'small' });
  });
});
