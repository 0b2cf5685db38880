import { spawn } from 'node:child_process';
import { CodedError } from '../../../base/coded-error.js';
import { CODING_AGENT_ERRORS } from './errors.js';

/** Programs that take a text on stdin, in the order they are tried. */
function programs(): [file: string, ...args: string[]][] {
  if (process.platform === 'darwin') return [['pbcopy']];
  if (process.platform === 'win32') return [['clip']];
  return [
    ...(process.env.TERMUX_VERSION ? ([['termux-clipboard-set']] as [string][]) : []),
    ...(process.env.WAYLAND_DISPLAY ? ([['wl-copy']] as [string][]) : []),
    ...(process.env.DISPLAY
      ? ([
          ['xclip', '-selection', 'clipboard'],
          ['xsel', '--clipboard', '--input'],
        ] as [string, ...string[]][])
      : []),
  ];
}

/** Longest time one program may take. */
const DEADLINE_MS = 5000;

/** Copies a text by the system's own program: there is no terminal here to ask. Throws PACKAGE_CLIPBOARD_UNAVAILABLE. */
export async function copyToClipboard(text: string): Promise<void> {
  const tried: string[] = [];
  for (const [file, ...args] of programs()) {
    tried.push(file);
    if (await feed(file, args, text)) return;
  }
  const why = tried.length === 0 ? 'no display or clipboard program is known' : `tried ${tried.join(', ')}`;
  throw new CodedError(CODING_AGENT_ERRORS.CLIPBOARD_UNAVAILABLE, `The text could not be copied to the clipboard: ${why}`);
}

function feed(file: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: DEADLINE_MS });
    // Not installed, or it did not want the text: the next one is tried.
    child.once('error', () => resolve(false));
    child.stdin.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
    child.stdin.end(text);
  });
}
