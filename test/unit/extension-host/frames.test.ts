import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, FRAME_KINDS, FrameReader } from '../../../core/extension-host/contract/wire/frames.js';

interface Seen {
  frames: { kind: number; channel: number; text: string }[];
  tooLarge: { channel: number; bytes: number }[];
}

function reader(maxBytes = 1_000_000): { reader: FrameReader; seen: Seen } {
  const seen: Seen = { frames: [], tooLarge: [] };
  const made = new FrameReader({
    maxBytes: () => maxBytes,
    onFrame: ({ kind, channel, body }) => seen.frames.push({ kind, channel, text: body.toString('utf8') }),
    onTooLarge: (channel, bytes) => seen.tooLarge.push({ channel, bytes }),
  });
  return { reader: made, seen };
}

describe('a frame reader', () => {
  it('gives back the frames that were written, however the stream was cut', () => {
    const frame = fc.record({ channel: fc.integer({ min: 0, max: 0xffff }), text: fc.string({ unit: 'grapheme' }) });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 10 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (frames, cuts) => {
          const stream = Buffer.concat(frames.map(({ channel, text }) => encodeFrame(FRAME_KINDS.messages, channel, text)));
          const { reader: made, seen } = reader();
          for (let at = 0, step = 0; at < stream.length; step++) {
            const size = cuts[step % cuts.length] ?? 1;
            made.push(stream.subarray(at, at + size));
            at += size;
          }
          expect(seen.frames).toEqual(frames.map((each) => ({ kind: FRAME_KINDS.messages, ...each })));
        },
      ),
    );
  });

  it('skips a frame that is too large without keeping it, and reads what follows', () => {
    const { reader: made, seen } = reader(1_000);
    const huge = encodeFrame(FRAME_KINDS.messages, 5, '');
    huge.writeUInt32BE(0xffff_ffff, 0);
    made.push(huge);
    // 4 GB arrive in pieces of the same memory: a reader that kept them could not stay small.
    const piece = Buffer.alloc(1024 * 1024);
    const before = process.memoryUsage().rss;
    let left = 0xffff_ffff;
    for (; left > piece.length; left -= piece.length) made.push(piece);
    made.push(Buffer.concat([piece.subarray(0, left), encodeFrame(FRAME_KINDS.messages, 1, 'next')]));
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect(seen).toEqual({
      tooLarge: [{ channel: 5, bytes: 0xffff_ffff }],
      frames: [{ kind: FRAME_KINDS.messages, channel: 1, text: 'next' }],
    });
  });

  it('writes bytes as they are, in one frame of several parts', () => {
    const { reader: made, seen } = reader();
    made.push(encodeFrame(FRAME_KINDS.state, 0, [Buffer.from('{}\n'), Buffer.from('é\n')]));
    made.push(encodeFrame(FRAME_KINDS.messages, 2, ''));
    expect(seen.frames).toEqual([
      { kind: FRAME_KINDS.state, channel: 0, text: '{}\né\n' },
      { kind: FRAME_KINDS.messages, channel: 2, text: '' },
    ]);
  });

  it('has no channel beyond 65535', () => {
    expect(() => encodeFrame(FRAME_KINDS.messages, 65_536, '')).toThrow(RangeError);
  });
});
