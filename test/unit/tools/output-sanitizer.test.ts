import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputSanitizer } from '../../../core/tools/output-sanitizer.js';

const ESC = '\u001b';
function inPieces(pieces: readonly string[]): string {
  const sanitizer = new OutputSanitizer();
  return pieces.map((piece) => sanitizer.push(piece)).join('') + sanitizer.end();
}

const CASES: [what: string, raw: string, clean: string][] = [
  ['colours', `${ESC}[1;31mred${ESC}[0m`, 'red'],
  ['cursor movement and erasing', `a${ESC}[2K${ESC}[1Gb${ESC}[?25l`, 'ab'],
  ['a title ended by BEL', `${ESC}]0;title\u0007text`, 'text'],
  ['a link ended by ESC \\', `${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
  ['a device string', `${ESC}Pq#0;1${ESC}\\text`, 'text'],
  ['character sets and two-character codes', `${ESC}(B${ESC}=${ESC}7text`, 'text'],
  ['eight-bit CSI', '\u009b31mred', 'red'],
  ['carriage returns', '10%\r20%\r\ndone\r\n', '10%20%\ndone\n'],
  ['NUL, BEL, backspace and DEL', 'a\u0000b\u0007c\bd\u007f', 'abcd'],
  ['nothing of tabs, newlines and other scripts', '\ta\n世界 é 🚀\u00a0', '\ta\n世界 é 🚀\u00a0'],
  ['an unfinished code at the end', `text${ESC}[3`, 'text'],
  ['a lone ESC at the end', `text${ESC}`, 'text'],
];

describe('OutputSanitizer', () => {
  it.each(CASES)('removes %s', (_what, raw, clean) => {
    expect(inPieces([raw])).toBe(clean);
  });

  it.each(CASES)('removes %s cut anywhere', (_what, raw, clean) => {
    for (let at = 0; at <= raw.length; at += 1) expect(inPieces([raw.slice(0, at), raw.slice(at)])).toBe(clean);
    expect(inPieces([...raw])).toBe(clean);
  });

  it('passes clean text through as the same string', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)),
        (text) => {
          expect(new OutputSanitizer().push(text)).toBe(text);
        },
      ),
    );
  });

  it('lets no control character through, however the text is cut', () => {
    const parts = fc.array(
      fc.oneof(fc.constantFrom(ESC, `${ESC}[`, `${ESC}]`, '0;', 'm', '\u0007', '\r', '\n', '\u009b', '\\'), fc.string()),
    );
    fc.assert(
      fc.property(parts, (pieces) => {
        expect(inPieces(pieces)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it('does not let one lone introducer swallow what follows', () => {
    const sanitizer = new OutputSanitizer();
    const shown = Array.from({ length: 20 }, (_, index) => sanitizer.push(index === 0 ? `${ESC}]lone` : 'x'.repeat(1000))).join(
      '',
    );
    expect(shown.length).toBeGreaterThan(15_000);
  });
});
