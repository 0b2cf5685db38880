import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChange } from '../../../core/tools/edit-diff.js';
import { replaceText } from '../../../core/tools/replace-text.js';

const replace = (text: string | Buffer, ...edits: [oldText: string, newText: string][]): string =>
  replaceText(
    Buffer.from(text),
    edits.map(([oldText, newText]) => ({ oldText, newText })),
    'f.txt',
  ).data.toString('latin1');
const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');

describe('replaceText', () => {
  it('replaces one place', () => {
    expect(replace('alpha\nbeta\n', ['beta', 'BETA'])).toBe('alpha\nBETA\n');
    expect(replace('alpha', ['alpha', ''])).toBe('');
  });

  it('matches every edit against the original', () => {
    expect(replace('a\nb\n', ['a', 'b'], ['b\n', 'c\n'])).toBe('b\nc\n');
    expect(replace('1 2 3', ['3', 'c'], ['1', 'a'])).toBe('a 2 c');
  });

  it('takes the new text literally', () => {
    expect(replace('x', ['x', "$& $1 $' \\n"])).toBe("$& $1 $' \\n");
  });

  it('keeps CRLF line ends, whichever the edit uses', () => {
    expect(replace('a\r\nb\r\nc\r\n', ['b\nc', 'B\nC'])).toBe('a\r\nB\r\nC\r\n');
    expect(replace('a\r\nb\r\nc\r\n', ['b\r\nc', 'B\r\nX\r\nC'])).toBe('a\r\nB\r\nX\r\nC\r\n');
    expect(replace('a\r\nb\r\n', ['b', 'x\ny'])).toBe('a\r\nx\r\ny\r\n');
    expect(replace('a\nb\n', ['a\r\nb', 'x\r\ny'])).toBe('x\ny\n');
  });

  it('removes a line together with its CRLF', () => {
    expect(replace('a\r\nb\r\nc\r\n', ['b\n', ''])).toBe('a\r\nc\r\n');
    expect(replace('a\r\nb\r\nc\r\n', ['\nb', ''])).toBe('a\r\nc\r\n');
  });

  it('leaves mixed line ends alone outside the edit', () => {
    expect(replace('a\r\nb\nc\r\nd\n', ['c', 'C'])).toBe('a\r\nb\nC\r\nd\n');
    expect(replace('a\r\nb\nc\nd\n', ['b\nc', 'x\ny'])).toBe('a\r\nx\ny\nd\n');
  });

  it('keeps a BOM', () => {
    expect(utf8(replace('\ufeffone\ntwo', ['one', 'ONE']))).toBe('\ufeffONE\ntwo');
  });

  it('keeps bytes that are no UTF-8', () => {
    const latin1 = Buffer.from('caf\xe9\nname=x\n\xff\xfe', 'latin1');
    expect(replace(latin1, ['name=x', 'name=y'])).toBe('caf\xe9\nname=y\n\xff\xfe');
    const mixed = Buffer.concat([Buffer.from([0xff]), Buffer.from('世界 ok')]);
    expect(Buffer.from(replace(mixed, ['世界', '界世']), 'latin1')).toEqual(
      Buffer.concat([Buffer.from([0xff]), Buffer.from('界世 ok')]),
    );
  });

  it.each<[what: string, text: string, edits: [string, string][], reason: RegExp]>([
    ['missing text', 'abc', [['zzz', 'y']], /^oldText was not found in f\.txt/],
    [
      'missing text of one of several edits',
      'abc',
      [
        ['a', 'x'],
        ['zzz', 'y'],
      ],
      /^edits\[1\]\.oldText was not found/,
    ],
    ['text that is there twice', 'x\nx\ny\n', [['x', '1']], /^oldText is in f\.txt 2 times \(lines 1, 2\)/],
    ['text that overlaps itself', 'aaa', [['aa', 'b']], /2 times/],
    ['text that is there very often', 'x\n'.repeat(50), [['x', '1']], /50 times \(lines 1, 2, .*, 10, …\)/],
    ['empty text', 'abc', [['', 'x']], /is empty\. To make or fill a file use write/],
    [
      'edits that overlap',
      'abcdef',
      [
        ['cde', 'x'],
        ['abc', 'y'],
      ],
      /^edits\[0\] and edits\[1\] overlap/,
    ],
    [
      'edits of the same text',
      'abc',
      [
        ['b', 'x'],
        ['b', 'y'],
      ],
      /overlap/,
    ],
    ['no change', 'abc', [['b', 'b']], /would leave f\.txt as it is/],
    [
      'other white space, with a hint',
      'if (a) {\n    b();\n}\n',
      [['if (a) {\n\tb();\n}', 'x']],
      /differs from it only in white space begins at line 1/,
    ],
  ])('refuses %s and says why', (_what, text, edits, reason) => {
    expect(() => replace(text, ...edits)).toThrow(reason);
  });

  it('changes nothing but the edited place, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (before, after) => {
        const original = Buffer.concat([before, Buffer.from('<<needle>>'), after]);
        const { data } = replaceText(original, [{ oldText: '<<needle>>', newText: 'ok' }], 'f');
        expect(data).toEqual(Buffer.concat([before, Buffer.from('ok'), after]));
      }),
    );
  });
});

describe('describeChange', () => {
  it('numbers the lines of both sides', async () => {
    const change = await describeChange('f.txt', 'a\nb\nc\nd\n', 'a\nB\nB2\nc\nd\n');
    expect(change.diff).toBe(' 1 a\n-2 b\n+2 B\n+3 B2\n 4 c\n 5 d');
    expect(change.firstChangedLine).toBe(2);
    expect(change.patch).toContain('--- f.txt\n+++ f.txt\n@@ -1,4 +1,5 @@\n a\n-b\n+B\n+B2\n c\n d\n');
  });

  it('puts hunks apart', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const changed = lines.with(1, 'X').with(35, 'Y');
    const { diff } = await describeChange('f', `${lines.join('\n')}\n`, `${changed.join('\n')}\n`);
    expect(diff.split('\n').filter((line) => line.trim() === '...')).toHaveLength(1);
    expect(diff).toContain('-36 line 36\n+36 Y');
  });

  it('shows a large rewrite as one change, without looking for the shortest', async () => {
    const before = `same\n${Array.from({ length: 5000 }, (_, index) => `old ${index}\n`).join('')}end`;
    const after = `same\n${Array.from({ length: 5000 }, (_, index) => `new ${index}\n`).join('')}end`;
    const change = await describeChange('f', before, after);
    const { applyPatch } = await import('diff');
    expect(applyPatch(before, change.patch)).toBe(after);
    expect(change.firstChangedLine).toBe(2);
  });

  it('gives a patch that leads from the old text to the new', async () => {
    const { applyPatch } = await import('diff');
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((list) => list.join('\n'));
    await fc.assert(
      fc.asyncProperty(lines, lines, async (before, after) => {
        expect(applyPatch(before, (await describeChange('f', before, after)).patch)).toBe(after);
      }),
    );
  });
});
