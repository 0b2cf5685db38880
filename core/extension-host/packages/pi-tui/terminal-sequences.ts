/** Colours and cursor movements (CSI), links and titles (OSC), and program commands (APC), each complete. */
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]_][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** The text without its complete terminal sequences. Source: observed, 0.84.0. */
export function stripTerminalSequences(text: string): string {
  return text.includes('\x1b') ? text.replace(SEQUENCES, '') : text;
}
