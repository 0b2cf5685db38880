import { chmodSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf, workbench } from './support.js';

const isRoot = process.getuid?.() === 0;

function tree() {
  const bench = workbench();
  const files: Record<string, string | Buffer> = {
    '.git/HEAD': 'ref needle',
    '.git/info/exclude': 'excluded.txt\n',
    '.gitignore': 'dist/\n*.log\n!keep.log\n/rooted.txt\n',
    'excluded.txt': 'needle',
    'rooted.txt': 'needle',
    'dist/out.js': 'needle',
    'a.log': 'needle',
    'keep.log': 'needle',
    'src/.gitignore': 'gen/\n!special.log\n',
    'src/app.ts': 'one\ntwo needle\nthree\nfour\nNeedle five\nsix\n',
    'src/special.log': 'needle',
    'src/rooted.txt': 'needle',
    'src/gen/x.ts': 'needle',
    'src/deep/util.test.ts': 'a(b)c needle\n',
    'src/binary.bin': Buffer.from([0x6e, 0, 0x6e]),
    '.hidden': 'needle',
  };
  for (const [name, content] of Object.entries(files)) bench.write(name, content);
  return bench;
}

describe('find', () => {
  it('finds names in any folder, without what git ignores', async () => {
    const { call } = tree();
    expect(textOf(await call('find', { pattern: '*.ts' }))).toBe('src/app.ts\nsrc/deep/util.test.ts');
    expect(textOf(await call('find', { pattern: '*' })).split('\n')).toEqual([
      '.gitignore',
      '.hidden',
      'keep.log',
      'src/',
      'src/.gitignore',
      'src/app.ts',
      'src/binary.bin',
      'src/deep/',
      'src/deep/util.test.ts',
      'src/rooted.txt',
      'src/special.log',
    ]);
  });

  it('matches paths when the pattern has a slash, and gives paths from the working directory', async () => {
    const { call } = tree();
    expect(textOf(await call('find', { pattern: 'src/**/*.test.ts' }))).toBe('src/deep/util.test.ts');
    expect(textOf(await call('find', { pattern: 'deep/*.{ts,js}', path: 'src' }))).toBe('src/deep/util.test.ts');
    expect(textOf(await call('find', { pattern: '*.py' }))).toBe('Nothing matches *.py in .');
  });

  it('respects the rules of the folders above the one it searches', async () => {
    const { call, write } = tree();
    write('src/deep/b.log', 'x');
    expect(textOf(await call('find', { pattern: '*.log', path: 'src/deep' }))).toBe('Nothing matches *.log in src/deep');
  });

  it('stops at its limit and says so', async () => {
    const { call } = tree();
    const result = await call('find', { pattern: '*', limit: 2 });
    expect(textOf(result)).toMatch(/^\.gitignore\n\.hidden\n\n\[The limit of 2 results was reached/);
    expect(result.details).toEqual({ resultLimitReached: 2 });
  });

  it('names links and does not follow them, so that loops end', async () => {
    const { call, path } = tree();
    symlinkSync('..', path('src/loop'));
    symlinkSync('nowhere', path('src/dangling'));
    expect(textOf(await call('find', { pattern: '{loop,dangling}' }))).toBe('src/dangling\nsrc/loop');
  });

  it('ends when it is aborted, and refuses a file or nothing as its root', async () => {
    const { call } = tree();
    expect((await call('find', { pattern: '*' }, { signal: AbortSignal.abort() })).isError).toBe(true);
    expect(textOf(await call('find', { pattern: '*', path: 'keep.log' }))).toBe('keep.log is not a folder');
    expect(textOf(await call('find', { pattern: '*', path: 'none' }))).toMatch(/no such file/);
    expect((await call('find', { pattern: '' })).isError).toBe(true);
  });

  it.skipIf(isRoot)('goes on past folders it may not read, and counts them', async () => {
    const { call, path, write } = tree();
    write('closed/x.ts', '');
    chmodSync(path('closed'), 0);
    expect(textOf(await call('find', { pattern: '*.test.ts' }))).toBe('src/deep/util.test.ts\n\n[1 folders could not be read.]');
    chmodSync(path('closed'), 0o755);
  });
});

describe('grep', () => {
  it('gives path, line and text, without binary files and what git ignores', async () => {
    const { call } = tree();
    expect(textOf(await call('grep', { pattern: 'needle' })).split('\n')).toEqual([
      '.hidden:1: needle',
      'keep.log:1: needle',
      'src/app.ts:2: two needle',
      'src/deep/util.test.ts:1: a(b)c needle',
      'src/rooted.txt:1: needle',
      'src/special.log:1: needle',
    ]);
  });

  it('takes globs, case, literal text and single files', async () => {
    const { call } = tree();
    expect(textOf(await call('grep', { pattern: 'needle', glob: '*.ts', ignoreCase: true }))).toBe(
      'src/app.ts:2: two needle\nsrc/app.ts:5: Needle five\nsrc/deep/util.test.ts:1: a(b)c needle',
    );
    expect(textOf(await call('grep', { pattern: '(?i)NEEDLE f' }))).toBe('src/app.ts:5: Needle five');
    expect(textOf(await call('grep', { pattern: 'a(b)c', literal: true, glob: 'src/**/*.ts' }))).toBe(
      'src/deep/util.test.ts:1: a(b)c needle',
    );
    expect(textOf(await call('grep', { pattern: '^t\\w+', path: 'src/app.ts' }))).toBe(
      'src/app.ts:2: two needle\nsrc/app.ts:3: three',
    );
    expect(textOf(await call('grep', { pattern: 'absent' }))).toBe('No match for absent in .');
  });

  it('shows lines around matches once, groups apart', async () => {
    const { call } = tree();
    expect(textOf(await call('grep', { pattern: 'needle|five', path: 'src/app.ts', context: 1 }))).toBe(
      'src/app.ts-1- one\nsrc/app.ts:2: two needle\nsrc/app.ts-3- three\nsrc/app.ts-4- four\nsrc/app.ts:5: Needle five\nsrc/app.ts-6- six',
    );
    expect(textOf(await call('grep', { pattern: 'one|six', path: 'src/app.ts', context: 1 }))).toContain('\n--\n');
  });

  it('stops at its limit and cuts long lines on character borders', async () => {
    const { call, write } = workbench();
    write('many.txt', 'hit\n'.repeat(1000));
    write('wide.txt', `wide ${'é'.repeat(1000)}\n`);
    const many = await call('grep', { pattern: 'hit', limit: 3 });
    expect(textOf(many)).toMatch(/^many\.txt:1: hit\nmany\.txt:2: hit\nmany\.txt:3: hit\n\n\[The limit of 3 matches was reached/);
    expect(many.details).toEqual({ matchLimitReached: 3 });
    const wide = await call('grep', { pattern: 'wide' });
    expect(textOf(wide)).toMatch(/^wide\.txt:1: wide é{246}\.\.\.\n\n\[1 long lines were cut/);
  });

  it('stops a pattern that backtracks for ever', async () => {
    const { call, write } = workbench();
    write('bait.txt', `${'a'.repeat(60)}b\n`);
    expect(textOf(await call('grep', { pattern: '^(a+)+$' }))).toMatch(/takes too long/);
  });

  it('says what is wrong with a pattern', async () => {
    const { call } = tree();
    expect(textOf(await call('grep', { pattern: 'a(b' }))).toMatch(/not a valid regular expression .*Set literal/);
    expect((await call('grep', { pattern: '' })).isError).toBe(true);
  });

  it('leaves out very large files and says so', async () => {
    const { call, write } = workbench();
    write('huge.txt', Buffer.alloc(17 * 1024 * 1024, 'needle\n'));
    expect(textOf(await call('grep', { pattern: 'needle' }))).toBe(
      'No match for needle in .\n\n[1 files or folders were left out: too large or not readable.]',
    );
  });
});

describe('ls', () => {
  it('lists a folder in order and names what git ignores apart', async () => {
    const { call, path } = tree();
    symlinkSync('src', path('link'));
    symlinkSync('nowhere', path('dangling'));
    expect(textOf(await call('ls', {}))).toBe(
      '.git/\n.gitignore\n.hidden\ndangling\nkeep.log\nlink/\nsrc/\n\n[Ignored by git and not listed: a.log, dist/, excluded.txt, rooted.txt]',
    );
    expect(textOf(await call('ls', { path: 'src/deep' }))).toBe('util.test.ts');
  });

  it('says when a folder is empty, cut or no folder', async () => {
    const { call, write } = workbench();
    expect(textOf(await call('ls', {}))).toBe('(empty folder)');
    for (const name of ['a', 'b', 'c']) write(name, '');
    const cut = await call('ls', { limit: 2 });
    expect(textOf(cut)).toBe('a\nb\n\n[The limit of 2 entries was reached; there are 3 in all.]');
    expect(cut.details).toEqual({ entryLimitReached: 2 });
    expect(textOf(await call('ls', { path: 'a' }))).toBe('a is not a folder; look at it with read');
    expect((await call('ls', { path: 'none' })).isError).toBe(true);
  });
});
