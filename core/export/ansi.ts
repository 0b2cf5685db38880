import { escapeHtml } from './escape.js';

/** A terminal's text attributes; colours are 0-15. */
interface Style {
  fg: number | undefined;
  bg: number | undefined;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const PLAIN: Style = { fg: undefined, bg: undefined, bold: false, dim: false, italic: false, underline: false };
const ESCAPE = /\u001b\[([0-9;:]*)m|\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/**
 * Terminal output as HTML: colours become classes (the page's policy forbids inline styles), so 256 colours and RGB become the
 * nearest of sixteen; everything else a terminal would obey is dropped.
 */
export function ansiToHtml(text: string): string {
  if (!text.includes('\u001b')) return escapeHtml(text);
  let html = '';
  let style = PLAIN;
  let at = 0;
  const add = (part: string): void => {
    if (part === '') return;
    const classes = classesOf(style);
    html += classes === '' ? escapeHtml(part) : `<span class="${classes}">${escapeHtml(part)}</span>`;
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) style = apply(style, match[1]);
  }
  add(text.slice(at));
  return html;
}

function classesOf(style: Style): string {
  const classes: string[] = [];
  if (style.fg !== undefined) classes.push(`f${style.fg}`);
  if (style.bg !== undefined) classes.push(`k${style.bg}`);
  for (const name of ['bold', 'dim', 'italic', 'underline'] as const) if (style[name]) classes.push(`a-${name}`);
  return classes.join(' ');
}

function apply(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  let next = { ...style };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 0) next = { ...PLAIN };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
    else if (code === 39) next.fg = undefined;
    else if (code === 49) next.bg = undefined;
    else if (code === 38 || code === 48) {
      const indexed = codes[i + 1] === 5;
      const colour = indexed ? fromPalette(codes[i + 2] ?? 0) : nearest(codes[i + 2] ?? 0, codes[i + 3] ?? 0, codes[i + 4] ?? 0);
      i += indexed ? 2 : 4;
      if (code === 38) next.fg = colour;
      else next.bg = colour;
    }
  }
  return next;
}

/** One of 256 colours: sixteen, a cube of 6 x 6 x 6, and greys. */
function fromPalette(index: number): number {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): number {
  const bright = Math.max(red, green, blue);
  if (bright < 64) return 0;
  const spread = bright - Math.min(red, green, blue);
  if (spread < 32) return bright > 200 ? 15 : bright > 128 ? 7 : 8;
  const on = (value: number): number => (value > bright / 2 ? 1 : 0);
  return on(red) + on(green) * 2 + on(blue) * 4 + (bright > 200 ? 8 : 0);
}
