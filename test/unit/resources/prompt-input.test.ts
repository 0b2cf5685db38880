import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MAX_PROMPT_FILE_BYTES, readPromptInput } from '../../../core/resources/prompt-input.js';
import { readAllStdin, stdinHasData } from '../../../core/resources/stdin-text.js';
import { tempDir } from './temp-dir.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const read = (cwd: string, messages: string[], fileArgs: string[] = [], stdinText?: string) =>
  readPromptInput({ messages, fileArgs, cwd, home: cwd, ...(stdinText !== undefined && { stdinText }) });

describe('the first prompt', () => {
  it.each<[messages: string[], stdin: string | undefined, text: string | undefined, rest: string[]]>([
    [[], undefined, undefined, []],
    [[], '', undefined, []],
    [[], ' \n', undefined, []],
    [['hi'], '\n', 'hi', []],
    [[''], undefined, '', []],
    [['one', 'two'], undefined, 'one', ['two']],
    [[], 'from stdin ünï\n', 'from stdin ünï', []],
    [['MSG', 'two'], 'from stdin\n', 'from stdinMSG', ['two']],
    [['MSG'], 'a\r\n', 'aMSG', []],
    [['MSG'], 'a\n\n', 'a\nMSG', []],
    [['say "hi"\n$HOME `x` \\n 🚀'], undefined, 'say "hi"\n$HOME `x` \\n 🚀', []],
  ])('%j with stdin %j', async (messages, stdin, text, rest) => {
    expect(await read('/', messages, [], stdin)).toEqual({ rest, ...(text !== undefined && { first: { text, images: [] } }) });
  });

  it('begins with its files, in order, by absolute path', async () => {
    const root = tempDir({ 'a.txt': 'AAA', 'sub/my file.txt': '\uFEFFBBB ü\r\n' });
    const { first, rest } = await read(root, ['compare', 'two'], ['a.txt', 'sub/my file.txt']);
    expect(first?.text).toBe(
      `<file name="${root}/a.txt">\nAAA\n</file>\n<file name="${root}/sub/my file.txt">\nBBB ü\r\n\n</file>\ncompare`,
    );
    expect(rest).toEqual(['two']);
  });

  it('puts what was piped in before the files, on lines of its own', async () => {
    const root = tempDir({ 'a.txt': 'A' });
    expect((await read(root, ['M'], ['~/a.txt'], 'PIPED\n')).first?.text).toBe(
      `PIPED\n<file name="${root}/a.txt">\nA\n</file>\nM`,
    );
  });

  it('can be a file alone', async () => {
    const root = tempDir({ 'a.txt': '' });
    expect((await read(root, [], ['a.txt'])).first?.text).toBe(`<file name="${root}/a.txt">\n\n</file>\n`);
  });

  it('carries images as blocks, by what is in them and not by their names', async () => {
    const root = tempDir({
      'dot.txt': PNG,
      'j.png': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1]),
      'g.png': Buffer.from('GIF89a\0\0'),
      'w.png': Buffer.from('RIFF\0\0\0\0WEBPVP8 '),
      'text.png': 'just text',
    });
    const { first } = await read(root, ['What?'], ['dot.txt', 'j.png', 'g.png', 'w.png', 'text.png']);
    expect(first?.images.map((image) => image.mimeType)).toEqual(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
    expect(first?.images[0]).toEqual({ type: 'image', mimeType: 'image/png', data: PNG.toString('base64') });
    expect(first?.text).toContain(`<file name="${root}/dot.txt"></file>\n`);
    expect(first?.text).toMatch(/text\.png">\njust text\n<\/file>\nWhat\?$/);
  });

  it('reads UTF-16 when a byte order mark says so', async () => {
    const root = tempDir({ 'u.txt': Buffer.from('\uFEFFwindows', 'utf16le') });
    expect((await read(root, [], ['u.txt'])).first?.text).toContain('\nwindows\n');
  });

  it('reads pipes, as a shell makes them of @<(command)', async () => {
    const root = tempDir();
    const fifo = join(root, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const [{ first }] = await Promise.all([read(root, [], ['fifo']), writeFile(fifo, 'from a pipe')]);
    expect(first?.text).toContain('\nfrom a pipe\n');
  });

  it('keeps a name from breaking out of its tag', async () => {
    const root = tempDir({ 'a"b.txt': 'x' });
    expect((await read(root, [], ['a"b.txt'])).first?.text).toContain('a&quot;b.txt">');
  });
});

describe('files that cannot be sent', () => {
  it.each([
    ['missing.txt', 'PROMPT_FILE_NOT_FOUND'],
    ['a.txt/below', 'PROMPT_FILE_NOT_FOUND'],
    ['dir', 'PROMPT_FILE_UNREADABLE'],
    ['bin', 'PROMPT_FILE_BINARY'],
    ['nul\0byte', 'PROMPT_FILE_UNREADABLE'],
    ['huge', 'PROMPT_TOO_LARGE'],
  ])('%j is %s, by name', async (name, code) => {
    const root = tempDir({ 'a.txt': 'x', bin: Buffer.from([0x7f, 0x45, 0, 0]) });
    mkdirSync(join(root, 'dir'));
    if (name === 'huge') execFileSync('truncate', ['-s', String(MAX_PROMPT_FILE_BYTES + 1), join(root, name)]);
    await expect(read(root, ['hi'], ['a.txt', name])).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`@${name}`),
    });
  });
});

describe('stdin', () => {
  it('is read to its end, whatever the chunks split', async () => {
    const bytes = Buffer.from('\uFEFFünï 🚀\n'.repeat(1000));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(i * 7, i * 7 + 7));
    const text = await readAllStdin(Readable.from(chunks));
    expect(text.replaceAll('\uFEFF', '')).toBe('ünï 🚀\n'.repeat(1000));
    expect(text.startsWith('ü')).toBe(true);
  });

  it('has a limit', async () => {
    await expect(readAllStdin(Readable.from([Buffer.alloc(10), Buffer.alloc(10)]), { maxBytes: 15 })).rejects.toMatchObject({
      code: 'PROMPT_TOO_LARGE',
    });
  });

  it('stops waiting when told to', async () => {
    const abort = new AbortController();
    const reading = readAllStdin(new PassThrough(), { signal: abort.signal });
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(readAllStdin(new PassThrough(), { signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('says once that it waits, when nothing comes', async () => {
    const stream = new PassThrough();
    let told = 0;
    const waiting = new Promise<void>((resolve) => {
      void readAllStdin(stream, {
        notice: {
          afterMs: 1,
          tell: () => {
            told++;
            resolve();
          },
        },
      });
    });
    await waiting;
    stream.end();
    expect(told).toBe(1);
  });

  it('has nothing to say when it is /dev/null or closed, and something when it is a file', () => {
    const open = (path: string) => {
      const fd = openSync(path, 'r');
      try {
        return stdinHasData(fd);
      } finally {
        closeSync(fd);
      }
    };
    expect(open('/dev/null')).toBe(false);
    expect(open(join(tempDir({ f: 'x' }), 'f'))).toBe(true);
    expect(stdinHasData(9999)).toBe(false);
  });
});
