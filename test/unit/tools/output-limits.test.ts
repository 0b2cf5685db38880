import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countLines,
  cutHead,
  cutTail,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from '../../../core/tools/output-limits.js';

const isWellFormed = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
const FAMILY = '👨‍👩‍👧‍👦';
const wholeText = fc.string({ unit: 'binary' }).filter(isWellFormed);
const anyText = fc.oneof(
  wholeText,
  fc
    .array(fc.constantFrom('a', 'é', '世', '🚀', FAMILY, '\n', 'e\u0301', '\r\n'), { maxLength: 200 })
    .map((parts) => parts.join('')),
);

describe('cutting text by bytes', () => {
  it('G35: never splits a character, whatever the text and the limit', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, maxBytes) => {
        const [head, tail] = [cutHead(text, maxBytes), cutTail(text, maxBytes)];
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        for (const part of [head, tail]) {
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(maxBytes);
          expect(isWellFormed(part)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('G35: keeps what a reader sees as one character together', () => {
    for (let maxBytes = 2; maxBytes < 2 + Buffer.byteLength(FAMILY); maxBytes += 1) {
      expect(cutHead(`ab${FAMILY}`, maxBytes)).toBe('ab');
      expect(cutTail(`${FAMILY}ab`, maxBytes)).toBe('ab');
    }
    expect(cutHead('abe\u0301', 3)).toBe('ab');
    expect(cutTail('e\u0301ab', 4)).toBe('ab');
  });

  it('cuts a cluster longer than any real one between code points', () => {
    const stacked = `a${'\u0301'.repeat(500)}`;
    expect(Buffer.byteLength(cutHead(stacked, 301))).toBe(301);
    expect(Buffer.byteLength(cutTail(stacked, 300))).toBe(300);
  });
});

describe('truncateHead and truncateTail', () => {
  it('leave a text within the limits as it is', () => {
    for (const truncate of [truncateHead, truncateTail]) {
      expect(truncate('a\nb\n', { maxLines: 2 })).toMatchObject({
        content: 'a\nb\n',
        truncated: false,
        truncatedBy: null,
        totalLines: 2,
        outputLines: 2,
      });
      expect(truncate('')).toMatchObject({ content: '', truncated: false, totalLines: 0 });
    }
  });

  it('keep the first or the last lines', () => {
    const text = 'one\ntwo\nthree\nfour\n';
    expect(truncateHead(text, { maxLines: 2 })).toMatchObject({
      content: 'one\ntwo\n',
      truncatedBy: 'lines',
      totalLines: 4,
      outputLines: 2,
    });
    expect(truncateTail(text, { maxLines: 2 })).toMatchObject({
      content: 'three\nfour\n',
      truncatedBy: 'lines',
      totalLines: 4,
      outputLines: 2,
    });
    expect(truncateTail('one\ntwo\nthree', { maxLines: 2 })).toMatchObject({ content: 'two\nthree', outputLines: 2 });
  });

  it('keep whole lines when the bytes run out', () => {
    const text = 'one\ntwo\nthree\nfour\n';
    expect(truncateHead(text, { maxBytes: 10 })).toMatchObject({
      content: 'one\ntwo\n',
      truncatedBy: 'bytes',
      lastLinePartial: false,
    });
    expect(truncateTail(text, { maxBytes: 10 })).toMatchObject({
      content: 'four\n',
      truncatedBy: 'bytes',
      lastLinePartial: false,
    });
    expect(truncateTail(text, { maxBytes: 11 })).toMatchObject({ content: 'three\nfour\n', lastLinePartial: false });
  });

  it('keep a part of a line that is too long by itself', () => {
    const text = `${'x'.repeat(50)}\n`;
    expect(truncateHead(text, { maxBytes: 10 })).toMatchObject({
      content: 'x'.repeat(10),
      lastLinePartial: true,
      firstLineExceedsLimit: true,
    });
    expect(truncateTail(text, { maxBytes: 10 })).toMatchObject({
      content: `${'x'.repeat(9)}\n`,
      lastLinePartial: true,
      outputLines: 1,
    });
  });

  it('hold to both limits and tell the truth about what they kept', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 4, max: 60 }), (text, maxLines, maxBytes) => {
        for (const truncate of [truncateHead, truncateTail]) {
          const cut = truncate(text, { maxLines, maxBytes });
          expect(cut.outputLines).toBeLessThanOrEqual(maxLines);
          expect(cut.outputBytes).toBeLessThanOrEqual(maxBytes);
          expect(cut.outputLines).toBe(countLines(cut.content));
          expect(cut.outputBytes).toBe(Buffer.byteLength(cut.content));
          expect(cut.totalLines).toBe(countLines(text));
          expect(cut.truncated).toBe(cut.content !== text);
          expect(truncate === truncateHead ? text.startsWith(cut.content) : text.endsWith(cut.content)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('truncateLine marks what it cut', () => {
  expect(truncateLine('short', 10)).toEqual({ text: 'short', wasTruncated: false });
  expect(truncateLine('世世世世', 9)).toEqual({ text: '世世...', wasTruncated: true });
});

it.each([
  [12, '12B'],
  [1536, '1.5KB'],
  [50 * 1024, '50KB'],
  [1.5 * 1024 * 1024, '1.5MB'],
])('formatSize writes %d as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
