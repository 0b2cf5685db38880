import { describe, expect, it } from 'vitest';
import { ansiToHtml } from '../../../core/export/ansi.js';

describe('terminal output as HTML', () => {
  it.each([
    ['plain <b>', 'plain &lt;b&gt;'],
    ['\u001b[31mred\u001b[0m', '<span class="f1">red</span>'],
    ['\u001b[1;4;92;41mx\u001b[m.', '<span class="f10 k1 a-bold a-underline">x</span>.'],
    ['\u001b[38;5;9mx', '<span class="f9">x</span>'],
    ['\u001b[38;5;244mx', '<span class="f8">x</span>'],
    ['\u001b[38;2;250;20;20mx', '<span class="f9">x</span>'],
    ['\u001b[2K\u001b[1Aup', 'up'],
    ['\u001b]8;;http://a\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b[1mbold\u001b[22m not', '<span class="a-bold">bold</span> not'],
    ['cut \u001b', 'cut \ufffd'],
  ])('%j is %j', (text, html) => {
    expect(ansiToHtml(text)).toBe(html);
  });
});
