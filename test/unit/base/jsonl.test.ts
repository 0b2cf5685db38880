import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeLine, LineReader } from '../../../core/base/jsonl.js';

function read(chunks: Buffer[], maxBytes = 1_000_000): { lines: string[]; tooLong: number[] } {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const reader = new LineReader({ maxBytes, onLine: (line) => lines.push(line), onTooLong: (bytes) => tooLong.push(bytes) });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, tooLong };
}

describe('reading JSON Lines', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\n\r]/g, ' '));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        chunks.push(bytes.subarray(at));
        const wanted = lines.map((text) => Buffer.from(text).toString('utf8'));
        expect(read(chunks).lines).toEqual(wanted);
      }),
    );
  });

  it('splits on LF only and drops one trailing CR', () => {
    expect(read([Buffer.from('a\u2028b\u2029c\u0085d\r\ne\rf\nlast')]).lines).toEqual(['a\u2028b\u2029c\u0085d', 'e\rf', 'last']);
  });

  it('turns invalid UTF-8 into U+FFFD and goes on', () => {
    expect(read([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a])]).lines).toEqual(['a\ufffd', 'b']);
  });

  it('skips a line over the limit without keeping it, reports its size, and reads the next', () => {
    const big = Buffer.alloc(500, 0x78);
    expect(read([big, big, big, Buffer.from('\nnext\n')], 1000)).toEqual({ lines: ['next'], tooLong: [1500] });
  });

  it('encodes records that read back equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const line = encodeLine(value);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
