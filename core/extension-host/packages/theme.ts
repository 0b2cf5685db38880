import { type ColorMode, type ColorValue, colorAnsi, detectColorMode } from './theme-color.js';
import {
  BACKGROUND_COLORS,
  COLOR_FALLBACKS,
  DARK_COLORS,
  FOREGROUND_COLORS,
  type ThemeBg,
  type ThemeColor,
} from './theme-palette.js';

export type { ColorMode, ColorValue } from './theme-color.js';
export type { ThemeBg, ThemeColor } from './theme-palette.js';

export interface ThemeOptions {
  name?: string;
  /** The file it was read from. */
  sourcePath?: string;
  sourceInfo?: unknown;
}

const LEVEL_COLORS: Readonly<Record<string, ThemeColor>> = {
  off: 'thinkingOff',
  minimal: 'thinkingMinimal',
  low: 'thinkingLow',
  medium: 'thinkingMedium',
  high: 'thinkingHigh',
  xhigh: 'thinkingXhigh',
  max: 'thinkingMax',
};

/**
 * Styles text for a terminal, or for a client that shows it as one: each method gives the text between the escape sequence that turns
 * its style on and the one that turns only that style off, so that styles nest.
 * Source: themes document; extensions document, "ctx.ui.theme". Throws for a colour no theme has.
 */
export class Theme {
  readonly name: string | undefined;
  readonly sourcePath: string | undefined;
  readonly sourceInfo: unknown;
  readonly #mode: ColorMode;
  readonly #fg: ReadonlyMap<string, string>;
  readonly #bg: ReadonlyMap<string, string>;

  constructor(
    fgColors: Readonly<Partial<Record<ThemeColor, ColorValue>>>,
    bgColors: Readonly<Partial<Record<ThemeBg, ColorValue>>>,
    mode: ColorMode,
    options: ThemeOptions = {},
  ) {
    this.name = options.name;
    this.sourcePath = options.sourcePath;
    this.sourceInfo = options.sourceInfo;
    this.#mode = mode;
    this.#fg = ansiTable('fg', fgColors, mode);
    this.#bg = ansiTable('bg', bgColors, mode);
  }

  fg(color: ThemeColor, text: string): string {
    return `${this.getFgAnsi(color)}${text}\x1b[39m`;
  }

  bg(color: ThemeBg, text: string): string {
    return `${this.getBgAnsi(color)}${text}\x1b[49m`;
  }

  bold(text: string): string {
    return `\x1b[1m${text}\x1b[22m`;
  }

  italic(text: string): string {
    return `\x1b[3m${text}\x1b[23m`;
  }

  underline(text: string): string {
    return `\x1b[4m${text}\x1b[24m`;
  }

  inverse(text: string): string {
    return `\x1b[7m${text}\x1b[27m`;
  }

  strikethrough(text: string): string {
    return `\x1b[9m${text}\x1b[29m`;
  }

  /** The sequence alone, for text that is put together by hand. */
  getFgAnsi(color: ThemeColor): string {
    const ansi = this.#fg.get(color);
    if (ansi === undefined) throw new Error(`Unknown theme color: ${color}`);
    return ansi;
  }

  getBgAnsi(color: ThemeBg): string {
    const ansi = this.#bg.get(color);
    if (ansi === undefined) throw new Error(`Unknown theme background color: ${color}`);
    return ansi;
  }

  getColorMode(): ColorMode {
    return this.#mode;
  }

  /** Colours the editor's border by the thinking level; an unknown level is `off`. */
  getThinkingBorderColor(level: string): (text: string) => string {
    const color = (Object.hasOwn(LEVEL_COLORS, level) ? LEVEL_COLORS[level] : undefined) ?? 'thinkingOff';
    return (text) => this.fg(color, text);
  }

  /** Colours the editor's border while it holds a shell command. */
  getBashModeBorderColor(): (text: string) => string {
    return (text) => this.fg('bashMode', text);
  }
}

function ansiTable(layer: 'fg' | 'bg', colors: Readonly<Record<string, ColorValue>>, mode: ColorMode): Map<string, string> {
  const table = new Map<string, string>();
  for (const [name, value] of Object.entries(colors)) table.set(name, colorAnsi(layer, value, mode));
  for (const [name, instead] of Object.entries(COLOR_FALLBACKS)) {
    const fallback = table.get(instead);
    if (!table.has(name) && fallback !== undefined) table.set(name, fallback);
  }
  return table;
}

/** A theme of all colours, whichever layer they are for. */
export function createTheme(colors: Readonly<Record<string, ColorValue>>, mode: ColorMode, options: ThemeOptions = {}): Theme {
  const pick = (names: readonly string[]): Record<string, ColorValue> =>
    Object.fromEntries(names.flatMap((name) => (colors[name] === undefined ? [] : [[name, colors[name]]])));
  return new Theme(pick(FOREGROUND_COLORS), pick(BACKGROUND_COLORS), mode, options);
}

let shared: Theme | undefined;

/** The theme everything uses here: nothing is drawn by this program, so there is none to choose. */
export function defaultTheme(): Theme {
  shared ??= createTheme(DARK_COLORS, detectColorMode(process.env), { name: 'dark' });
  return shared;
}
