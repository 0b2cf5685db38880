import { defaultTheme, type ThemeColor } from '../theme.js';
import { keyHint } from './key-hints.js';
import {
  CancellableLoader,
  type Component,
  Container,
  Loader,
  Spacer,
  Text,
  type TUI,
  truncateToWidth,
  visibleWidth,
} from './tui.js';

/** The part of a theme that these components colour with. */
export interface FrameTheme {
  fg(color: ThemeColor, text: string): string;
}

/** A line as wide as there is room. */
export class DynamicBorder implements Component {
  readonly #color: (text: string) => string;

  constructor(color: (text: string) => string = (text) => defaultTheme().fg('border', text)) {
    this.#color = color;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [this.#color('─'.repeat(Math.max(1, width)))];
  }
}

/** Says between two lines that something is going on; escape ends it. Source: tui document, "BorderedLoader". */
export class BorderedLoader extends Container {
  readonly #loader: CancellableLoader | Loader;
  readonly #controller = new AbortController();

  constructor(tui: TUI, theme: FrameTheme, message: string, options: { cancellable?: boolean } = {}) {
    super();
    const { cancellable = true } = options;
    const border = (text: string): string => theme.fg('border', text);
    const Kind = cancellable ? CancellableLoader : Loader;
    this.#loader = new Kind(
      tui,
      (text) => theme.fg('accent', text),
      (text) => theme.fg('muted', text),
      message,
    );
    this.addChild(new DynamicBorder(border));
    this.addChild(this.#loader);
    if (cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint('tui.select.cancel', 'cancel'), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder(border));
  }

  get signal(): AbortSignal {
    return this.#loader instanceof CancellableLoader ? this.#loader.signal : this.#controller.signal;
  }

  set onAbort(handler: (() => void) | undefined) {
    // The library's field may be missing but not undefined.
    if (this.#loader instanceof CancellableLoader) this.#loader.onAbort = handler ?? (() => undefined);
  }

  handleInput(data: string): void {
    if (this.#loader instanceof CancellableLoader) this.#loader.handleInput(data);
  }

  dispose(): void {
    if (this.#loader instanceof CancellableLoader) this.#loader.dispose();
    else this.#loader.stop();
  }
}

/** The last lines of a text as they are shown in `width` columns, and how many before them are left out. */
export function truncateToVisualLines(
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX = 0,
): { visualLines: string[]; skippedCount: number } {
  if (text === '') return { visualLines: [], skippedCount: 0 };
  const all = new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, all.length - maxVisualLines);
  return { visualLines: all.slice(skippedCount), skippedCount };
}

/** One line cut to the width, for components that draw line by line. */
export const fitted = (text: string, width: number): string =>
  visibleWidth(text) <= width ? text : truncateToWidth(text, width, '…');
