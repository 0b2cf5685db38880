import { TUI } from '@mariozechner/pi-tui';

/** The renderer that older versions call `TUI`. */
export class TuiMainScreen extends TUI {}

/** True for a renderer with a layout of its own, of which there is none here. */
export function isViewportTUI(_tui: unknown): boolean {
  return false;
}
