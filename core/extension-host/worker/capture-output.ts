import type { CurrentExtension } from './current-extension.js';

/** Longest text that is passed on at once, in characters. */
const MAX_TEXT = 64 * 1024;

type Printed = (extension: string | null, stream: 'stdout' | 'stderr', text: string) => void;

/**
 * What extension code prints through `console` or the process streams goes to the core with the extension's name. What gets around that
 * (raw descriptors, children) ends in the process's own pipes and is logged without a name.
 */
export function captureOutput(current: CurrentExtension, printed: Printed): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('utf8');
      printed(current.get()?.name ?? null, name, text.slice(0, MAX_TEXT));
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(callback as () => void);
      return true;
    };
    Object.defineProperty(stream, 'write', { value: write, configurable: true, writable: true });
  }
}
