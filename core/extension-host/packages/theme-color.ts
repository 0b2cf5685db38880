/** `#rrggbb`, an index of the xterm palette, or `''` for the terminal's own colour. */
export type ColorValue = string | number;
export type ColorMode = 'truecolor' | '256color';

interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** The SGR sequence that turns a colour on. Throws for a text that is no colour. */
export function colorAnsi(layer: 'fg' | 'bg', value: ColorValue, mode: ColorMode): string {
  const base = layer === 'fg' ? 38 : 48;
  if (value === '') return `\x1b[${base + 1}m`;
  if (typeof value === 'number') return `\x1b[${base};5;${value}m`;
  const rgb = parseHex(value);
  if (mode === '256color') return `\x1b[${base};5;${nearestIndex(rgb)}m`;
  return `\x1b[${base};2;${rgb.r};${rgb.g};${rgb.b}m`;
}

/** Full colour only where the environment promises it. Source: themes document, "Terminal Compatibility"; observed, 0.84.0. */
export function detectColorMode(env: Readonly<Record<string, string | undefined>>): ColorMode {
  return /^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '') || env.WT_SESSION ? 'truecolor' : '256color';
}

function parseHex(text: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error(`Not a colour: ${JSON.stringify(text)}. Use "#rrggbb", 0-255, or ""`);
  const value = Number.parseInt(text.slice(1), 16);
  return { r: value >> 16, g: (value >> 8) & 0xff, b: value & 0xff };
}

/** Levels of the xterm cube, indexes 16 to 231. */
const CUBE = [0, 95, 135, 175, 215, 255];

/** The palette's colour that differs least: of the cube, or of the greys when the colour is nearly grey. */
function nearestIndex(rgb: Rgb): number {
  const step = (value: number): number =>
    CUBE.reduce((best, level, index) => (Math.abs(level - value) < Math.abs((CUBE[best] ?? 0) - value) ? index : best), 0);
  const [r, g, b] = [step(rgb.r), step(rgb.g), step(rgb.b)];
  const cube = { index: 16 + 36 * r + 6 * g + b, rgb: { r: CUBE[r] ?? 0, g: CUBE[g] ?? 0, b: CUBE[b] ?? 0 } };
  const shade = Math.min(23, Math.max(0, Math.round(((rgb.r + rgb.g + rgb.b) / 3 - 8) / 10)));
  const level = 8 + 10 * shade;
  const isGreyish = Math.max(rgb.r, rgb.g, rgb.b) - Math.min(rgb.r, rgb.g, rgb.b) < 10;
  return isGreyish && distance(rgb, { r: level, g: level, b: level }) < distance(rgb, cube.rgb) ? 232 + shade : cube.index;
}

/** Weighted as the eye weighs the colours. */
const distance = (a: Rgb, b: Rgb): number => 0.3 * (a.r - b.r) ** 2 + 0.59 * (a.g - b.g) ** 2 + 0.11 * (a.b - b.b) ** 2;
