import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser } from '../../../../core/providers/sse.js';

function parse(chunks: readonly (string | Buffer)[]): [event: string, data: string][] {
  const found: [string, string][] = [];
  const parser = new SseParser((data, event) => found.push([event, data]));
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  parser.end();
  return found;
}

describe('server-sent events', () => {
  it.each([
    ['data: a\n\n', [['', 'a']]],
    [
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        ['x', 'a'],
        ['', 'b'],
      ],
    ],
    ['data:a\r\n\r\n', [['', 'a']]],
    ['data:  a\n\n', [['', ' a']]],
    ['data: a\ndata: b\n\n', [['', 'a\nb']]],
    ['data:\n\n', [['', '']]],
    [': comment\n\nid: 1\nretry: 5\n\n', []],
    ['\n\n\n', []],
    ['\ufeffdata: a\n\n', [['', 'a']]],
    ['data: a', [['', 'a']]],
    ['data: a\u2028b\u0085c\n\n', [['', 'a\u2028b\u0085c']]],
    ['data\n\n', []],
  ] as [string, [string, string][]][])('%j', (text, events) => {
    expect(parse([text])).toEqual(events);
  });

  it('gives the same events wherever the stream is cut, in the middle of a character too', () => {
    const text = 'event: e\r\ndata: {"t":"ä🚀"}\r\n\r\ndata: é\n\n: x\ndata: end\n\n';
    const bytes = Buffer.from(text);
    const whole = parse([text]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        expect(parse(at.slice(1).map((end, i) => bytes.subarray(at[i], end)))).toEqual(whole);
      }),
    );
    expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it('gives nothing more once stopped, within a chunk too', () => {
    const found: string[] = [];
    const parser = new SseParser((data) => {
      found.push(data);
      parser.stop();
    });
    parser.push(Buffer.from('data: a\n\ndata: b\n\n'));
    parser.push(Buffer.from('data: c\n\n'));
    parser.end();
    expect(found).toEqual(['a']);
  });
});
