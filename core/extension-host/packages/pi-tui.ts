/**
 * `@earendil-works/pi-tui` and `@mariozechner/pi-tui`: the published library, and what is newer than it. Nothing is drawn by this program, but
 * extensions extend and construct its components when they load, and measure and cut text with its functions.
 */
export * from '@mariozechner/pi-tui';
export { sliceByColumn } from '@mariozechner/pi-tui/dist/utils.js';
export { getEditorKeybindings, setEditorKeybindings } from './pi-tui/former-names.js';
export * from './pi-tui/missing.js';
export { isViewportTUI, TuiMainScreen } from './pi-tui/screens.js';
export { ScrollView } from './pi-tui/scroll-view.js';
export { HStack, VStack } from './pi-tui/stacks.js';
export { stripTerminalSequences } from './pi-tui/terminal-sequences.js';
