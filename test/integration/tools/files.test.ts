import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withFileMutationQueue } from '../../../core/tools/mutation-queue.js';
import { MAX_IMAGE_BYTES } from '../../../core/tools/read.js';
import { textOf, workbench } from './support.js';

const isRoot = process.getuid?.() === 0;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line-${index + 1}.\n`).join('');

describe('read', () => {
  it('gives a text file as it is, without a BOM', async () => {
    const { call, write } = workbench();
    write('a.txt', 'alpha\nβeta\n');
    write('b.txt', '\ufeffbom\r\n');
    write('empty.txt', '');
    expect(await call('read', { path: 'a.txt' })).toEqual({ content: [{ type: 'text', text: 'alpha\nβeta\n' }] });
    expect(textOf(await call('read', { path: 'b.txt' }))).toBe('bom\r\n');
    expect(textOf(await call('read', { path: 'empty.txt' }))).toBe('');
  });

  it('counts offset and limit from 1 and says how to go on', async () => {
    const { call, write } = workbench();
    write('a.txt', lines(10));
    expect(textOf(await call('read', { path: 'a.txt', offset: 3, limit: 2 }))).toBe(
      'line-3.\nline-4.\n\n[6 more lines in file. Use offset=5 to continue.]',
    );
    expect(textOf(await call('read', { path: 'a.txt', offset: 9 }))).toBe('line-9.\nline-10.\n');
    expect(textOf(await call('read', { path: 'a.txt', offset: 0, limit: 1 }))).toMatch(/^line-1\.\n/);
    expect(await call('read', { path: 'a.txt', offset: 11 })).toMatchObject({
      isError: true,
      content: [{ text: 'Offset 11 is beyond the end of a.txt (10 lines)' }],
    });
    expect(await call('read', { path: 'a.txt', limit: -1 })).toMatchObject({ isError: true });
  });

  it('G35: gives whole lines up to the limits, and the next offset gives the rest', async () => {
    const { call, write } = workbench();
    write('many.txt', lines(5000));
    const first = await call('read', { path: 'many.txt' });
    expect(textOf(first)).toMatch(/line-2000\.\n\n\[3000 more lines in file\. Use offset=2001 to continue\.\]$/);
    expect(first.details).toMatchObject({ truncation: { truncatedBy: 'lines', totalLines: 5000, outputLines: 2000 } });
    write('wide.txt', `${'é'.repeat(999)}\n`.repeat(100));
    const wide = await call('read', { path: 'wide.txt' });
    expect(textOf(wide)).toMatch(/é\n\n\[75 more lines in file\. Use offset=26 to continue\.\]$/);
    expect(wide.details).toMatchObject({ truncation: { truncatedBy: 'bytes', outputLines: 25 } });
  });

  it('G35: gives the beginning of a line of 10 MB, on a character border, and a command that gives the next part', async () => {
    const { call, write } = workbench();
    write('long line.txt', `a${'é'.repeat(5_000_000)}\nsecond\n`);
    const text = textOf(await call('read', { path: 'long line.txt' }));
    expect(text.startsWith(`a${'é'.repeat(25_599)}\n\n[Line 1 is 9.5MB long`)).toBe(true);
    expect(text).toContain('[1 more lines in file. Use offset=2 to continue.]');
    const command = /bash: (.*?)\]/.exec(text)?.[1] ?? '';
    expect(textOf(await call('bash', { command }))).toMatch(/^é{25599}/);
    expect(textOf(await call('read', { path: 'long line.txt', offset: 2 }))).toBe('second\n');
  });

  it('shows invalid UTF-8 as U+FFFD and keeps what is around it', async () => {
    const { call, write } = workbench();
    write('latin1.txt', Buffer.from('caf\xe9\nok\n', 'latin1'));
    expect(textOf(await call('read', { path: 'latin1.txt' }))).toBe('caf\ufffd\nok\n');
  });

  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ['image/gif', Buffer.from('GIF89a\x01\0\x01\0', 'latin1')],
    ['image/webp', Buffer.from('RIFF\x04\0\0\0WEBPVP8 ', 'latin1')],
  ])('knows %s by its bytes, whatever its name', async (mimeType, bytes) => {
    const { call, write } = workbench();
    write('picture.txt', bytes);
    expect((await call('read', { path: 'picture.txt' })).content).toContainEqual({
      type: 'image',
      mimeType,
      data: bytes.toString('base64'),
    });
  });

  it.each<[what: string, make: (bench: ReturnType<typeof workbench>) => void, reason: RegExp]>([
    ['a missing file', () => {}, /Could not read x: no such file/],
    ['a folder', ({ path }) => mkdirSync(path('x')), /x is a folder; list it with ls/],
    ['a binary file', ({ write }) => write('x', Buffer.from([1, 2, 0, 3])), /cannot be read as text: it is a binary file \(4B\)/],
    ['UTF-16', ({ write }) => write('x', Buffer.from('\ufeffab', 'utf16le')), /UTF-16/],
    [
      'an image too large for a model',
      ({ write }) => write('x', Buffer.concat([PNG, Buffer.alloc(MAX_IMAGE_BYTES)])),
      /make it smaller/,
    ],
    ['links that lead in a circle', ({ path }) => symlinkSync('x', path('x')), /symbolic links lead in a circle/],
    ['a named pipe, without waiting', ({ path }) => execFileSync('mkfifo', [path('x')]), /not a regular file/],
    ['a device', ({ path }) => symlinkSync('/dev/zero', path('x')), /not a regular file/],
  ])('refuses %s and says why', async (_what, make, reason) => {
    const bench = workbench();
    make(bench);
    const result = await bench.call('read', { path: 'x' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(reason);
  });

  it.skipIf(isRoot)('names the permission it lacks', async () => {
    const { call, write } = workbench();
    chmodSync(write('secret', 'x'), 0);
    expect(textOf(await call('read', { path: 'secret' }))).toBe('Could not read secret: permission denied');
  });

  it('takes absolute paths, ~, file: URLs and a leading @', async () => {
    const { call, write, path } = workbench();
    write('a b.txt', 'found');
    write('../home/h.txt', 'home');
    write('@real.txt', 'at');
    for (const name of [path('a b.txt'), './a b.txt', '@a b.txt', `file://${path('a%20b.txt')}`])
      expect(textOf(await call('read', { path: name }))).toBe('found');
    expect(textOf(await call('read', { path: '~/h.txt' }))).toBe('home');
    expect(textOf(await call('read', { path: '@real.txt' }))).toBe('at');
    for (const name of ['', 'a\0b']) expect((await call('read', { path: name })).isError).toBe(true);
  });
});

describe('write', () => {
  it('makes folders, replaces what is there and counts bytes', async () => {
    const { call, text } = workbench();
    expect(textOf(await call('write', { path: 'new/deep/f.txt', content: 'hällo\n' }))).toBe('Wrote 7 bytes to new/deep/f.txt');
    await call('write', { path: 'new/deep/f.txt', content: 'x' });
    expect(text('new/deep/f.txt')).toBe('x');
  });

  it('keeps the mode and leaves nothing beside the file', async () => {
    const { call, write, cwd } = workbench();
    const path = write('run.sh', 'old');
    chmodSync(path, 0o775);
    await call('write', { path: 'run.sh', content: 'new' });
    expect(statSync(path).mode & 0o777).toBe(0o775);
    expect(readdirSync(cwd)).toEqual(['run.sh']);
  });

  it('writes through symbolic and hard links', async () => {
    const { call, write, path, text } = workbench();
    write('target.txt', 'old');
    symlinkSync('target.txt', path('link.txt'));
    linkSync(path('target.txt'), path('hard.txt'));
    symlinkSync('later.txt', path('dangling.txt'));
    await call('write', { path: 'link.txt', content: 'new' });
    await call('write', { path: 'dangling.txt', content: 'made' });
    expect(lstatSync(path('link.txt')).isSymbolicLink()).toBe(true);
    expect([text('target.txt'), text('hard.txt'), text('later.txt')]).toEqual(['new', 'new', 'made']);
  });

  it('refuses folders, devices and paths through files', async () => {
    const { call, write } = workbench();
    write('file', 'x');
    write('folder/inner', 'x');
    for (const path of ['folder', '/dev/null', 'file/below'])
      expect((await call('write', { path, content: 'y' })).isError).toBe(true);
    expect(textOf(await call('write', { path: 'file/below', content: 'y' }))).toMatch(/a part of the path is a file/);
  });

  it('changes nothing once it is aborted', async () => {
    const { call, write, text } = workbench();
    write('f', 'old');
    expect((await call('write', { path: 'f', content: 'new' }, { signal: AbortSignal.abort() })).isError).toBe(true);
    expect(text('f')).toBe('old');
  });
});

describe('edit', () => {
  it('replaces exact text and describes the change', async () => {
    const { call, write, text } = workbench();
    write('f.txt', 'alpha\nbeta\ngamma\n');
    const result = await call('edit', { path: 'f.txt', edits: [{ oldText: 'beta', newText: 'BETA' }] });
    expect(text('f.txt')).toBe('alpha\nBETA\ngamma\n');
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'Replaced one text in f.txt' }],
      details: {
        diff: ' 1 alpha\n-2 beta\n+2 BETA\n 3 gamma',
        patch: expect.stringContaining('-beta\n+BETA\n'),
        firstChangedLine: 2,
      },
    });
    expect(result.isError).toBeUndefined();
  });

  it('takes the older form with the texts beside the path', async () => {
    const { call, write, text } = workbench();
    write('f.txt', 'one two');
    await call('edit', { path: 'f.txt', oldText: 'one', newText: '1' });
    expect(text('f.txt')).toBe('1 two');
    await call('edit', { path: 'f.txt', oldText: '1', newText: 'eins', edits: [{ oldText: 'two', newText: 'zwei' }] });
    expect(text('f.txt')).toBe('eins zwei');
  });

  it('G36: takes edits that are JSON in a string', async () => {
    const { call, write, text } = workbench();
    write('f.txt', 'one\ntwo\n');
    await call('edit', { path: 'f.txt', edits: '[{"oldText":"one\ntwo","newText":"1\n2"}]' });
    expect(text('f.txt')).toBe('1\n2\n');
  });

  it('keeps CRLF and BOM to the byte', async () => {
    const { call, write, bytes } = workbench();
    write('f.txt', '\ufeffa\r\nb\r\nc\r\n');
    await call('edit', { path: 'f.txt', edits: [{ oldText: 'b\nc', newText: 'B\nX\nC' }] });
    expect(bytes('f.txt')).toEqual(Buffer.from('\ufeffa\r\nB\r\nX\r\nC\r\n'));
  });

  it('changes nothing when one of the edits does not fit', async () => {
    const { call, write, text } = workbench();
    write('f.txt', 'x\nx\ny\n');
    const result = await call('edit', {
      path: 'f.txt',
      edits: [
        { oldText: 'y', newText: '1' },
        { oldText: 'x', newText: '2' },
      ],
    });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('edits[1].oldText is in f.txt 2 times (lines 1, 2)') }],
    });
    expect(text('f.txt')).toBe('x\nx\ny\n');
  });

  it('does not wait for a named pipe, in no tool', async () => {
    const { call, path } = workbench();
    execFileSync('mkfifo', [path('pipe')]);
    expect(textOf(await call('edit', { path: 'pipe', edits: [{ oldText: 'a', newText: 'b' }] }))).toBe(
      'pipe is not a regular file',
    );
    expect(textOf(await call('grep', { path: 'pipe', pattern: 'a' }))).toMatch(/^No match for a in pipe/);
    expect((await call('write', { path: 'pipe', content: 'a' })).isError).toBe(true);
  });

  it('says what is missing: the file, the edits', async () => {
    const { call, write } = workbench();
    write('f.txt', 'x');
    expect(textOf(await call('edit', { path: 'none.txt', edits: [{ oldText: 'a', newText: 'b' }] }))).toBe(
      'Could not edit none.txt: no such file or folder',
    );
    expect(textOf(await call('edit', { path: 'f.txt' }))).toMatch(/Validation failed for tool "edit":\n {2}- edits: is required/);
    expect((await call('edit', { path: 'f.txt', edits: [] })).isError).toBe(true);
  });

  it('applies edits of one file made at the same time, also through a link', async () => {
    const { call, write, path, text } = workbench();
    write('f.txt', Array.from({ length: 20 }, (_, index) => `<${index}>`).join('\n'));
    symlinkSync('f.txt', path('link.txt'));
    const edits = Array.from({ length: 20 }, (_, index) =>
      call('edit', { path: index % 2 ? 'f.txt' : 'link.txt', edits: [{ oldText: `<${index}>`, newText: `[${index}]` }] }),
    );
    for (const result of await Promise.all(edits)) expect(result.isError).toBeUndefined();
    expect(text('f.txt')).toBe(Array.from({ length: 20 }, (_, index) => `[${index}]`).join('\n'));
  });
});

describe('withFileMutationQueue', () => {
  it('runs changes of one file in the order they were asked for, whatever fails', async () => {
    const { path } = workbench();
    const order: string[] = [];
    const first = withFileMutationQueue(path('new/f'), async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('first');
      throw new Error('broken');
    });
    const second = withFileMutationQueue(path('new/f'), async () => order.push('second'));
    const other = withFileMutationQueue(path('new/g'), async () => order.push('other'));
    await expect(first).rejects.toThrow('broken');
    await Promise.all([second, other]);
    expect(order).toEqual(['other', 'first', 'second']);
  });
});
