import { fstatSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import { CodedError } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import { decodeText } from './decode-text.js';
import { RESOURCE_ERRORS } from './errors.js';

/** Most that may be piped in. */
export const MAX_STDIN_BYTES = 64 * 1024 * 1024;

/**
 * True when reading stdin can give anything: it is a pipe, a socket or a file, and neither a terminal (a person, whom nobody asked)
 * nor /dev/null. Looks only, so that `process.stdin`, which takes time to set up, is touched only when needed.
 */
export function stdinHasData(fd = 0): boolean {
  try {
    const stats = fstatSync(fd);
    if (!stats.isCharacterDevice()) return true;
    return !isatty(fd) && stats.rdev !== statSync('/dev/null').rdev;
  } catch {
    // A closed descriptor has nothing to say; reading it would fail in the same way.
    return false;
  }
}

/**
 * Everything up to the end of `stream`, as text. Throws `PROMPT_TOO_LARGE`, and rejects when the stream fails or `signal` fires.
 * A caller that never closes our stdin would make us wait without a word: after `notice.afterMs`, `notice.tell` is called once if
 * nothing has come yet.
 */
export async function readAllStdin(
  stream: AsyncIterable<Uint8Array | string> & { destroy?(error?: Error): unknown },
  options: { maxBytes?: number; signal?: AbortSignal; notice?: { afterMs: number; tell: () => void } } = {},
): Promise<string> {
  const { maxBytes = MAX_STDIN_BYTES, signal, notice } = options;
  const timer = notice && setTimeout(notice.tell, notice.afterMs);
  const onAbort = (): void => {
    stream.destroy?.(abortedError(signal));
  };
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of stream) {
      clearTimeout(timer);
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.byteLength;
      if (size > maxBytes) {
        throw new CodedError(
          RESOURCE_ERRORS.PROMPT_TOO_LARGE,
          `More than ${Math.round(maxBytes / 1024 / 1024)} MB were piped in; write them to a file and let the agent read parts of it`,
        );
      }
      chunks.push(bytes);
    }
    return decodeText(Buffer.concat(chunks));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
