import { type Component, Container } from '@mariozechner/pi-tui';

export interface ScrollViewOptions {
  follow?: 'start' | 'end';
  primary?: boolean;
  overscroll?: 'chain' | 'contain';
  scrollbar?: unknown;
}

/**
 * A part of a screen that scrolls. There is no screen: it can be extended and constructed, keeps its position, and renders everything it
 * holds. Source: README of pi-tui, "Alternate-screen viewport layouts".
 */
export class ScrollView extends Container {
  readonly options: ScrollViewOptions;
  scrollTop = 0;
  viewportHeight = 0;

  constructor(child?: Component, options: ScrollViewOptions = {}) {
    super();
    this.options = options;
    if (child) this.addChild(child);
  }

  get isFollowingEnd(): boolean {
    return this.options.follow === 'end';
  }

  scrollTo(row: number): void {
    this.scrollTop = Math.max(0, Math.trunc(row));
  }

  scrollBy(rows: number): void {
    this.scrollTo(this.scrollTop + rows);
  }

  scrollToStart(): void {
    this.scrollTo(0);
  }

  /** Where the end is, only a screen would know. */
  scrollToEnd(): void {}
}
