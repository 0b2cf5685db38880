import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;

export interface LineSlice {
  /** Raw bytes of the wanted lines, as many as fit; ends with the line end of its last line where it has one. */
  bytes: Buffer;
  /** Whole lines in `bytes`. */
  lines: number;
  /** Lines of the whole file; a last LF does not begin another. */
  totalLines: number;
  totalBytes: number;
  /** The first wanted line alone is longer than the limit: `bytes` is its beginning, and its whole length in bytes is here. */
  longLineBytes: number | undefined;
  cutBy: 'lines' | 'bytes' | undefined;
}

export interface LineSliceOptions {
  /** First wanted line, from 1. */
  firstLine: number;
  maxLines: number;
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Reads some lines of a file of any size in one pass with a fixed buffer: neither a file of gigabytes nor one endless line is ever held in
 * memory. The pass goes on to the end to count the lines.
 */
export async function readLines(file: FileHandle, options: LineSliceOptions): Promise<LineSlice> {
  const { firstLine, maxLines, maxBytes, signal } = options;
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const lastLine = firstLine + maxLines - 1;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let keptLines = 0;
  let full = false;
  // The line being read, from 1, and how many of its bytes were seen.
  let line = 1;
  let lineBytes = 0;
  let lineParts: Buffer[] = [];
  let linePartBytes = 0;
  let longLineBytes: number | undefined;
  let cutBy: 'lines' | 'bytes' | undefined;
  let totalBytes = 0;

  const endLine = (): void => {
    if (line >= firstLine && line <= lastLine && !full) {
      if (keptBytes + lineBytes <= maxBytes) {
        kept.push(...lineParts);
        keptBytes += lineBytes;
        keptLines += 1;
      } else {
        full = true;
        cutBy = 'bytes';
        if (keptLines === 0) {
          kept.push(...lineParts);
          longLineBytes = lineBytes;
        }
      }
    } else if (line > lastLine) cutBy ??= 'lines';
    lineParts = [];
    linePartBytes = 0;
    lineBytes = 0;
    line += 1;
  };
  const addPart = (part: Buffer): void => {
    lineBytes += part.length;
    // One byte more than the limit is enough to know that it is exceeded, and to cut on a character border.
    const room = maxBytes + 1 - linePartBytes;
    if (full || line < firstLine || line > lastLine || room <= 0) return;
    const copy = Buffer.from(part.subarray(0, room));
    lineParts.push(copy);
    linePartBytes += copy.length;
  };

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, totalBytes);
    if (bytesRead === 0) break;
    totalBytes += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
      addPart(chunk.subarray(start, at + 1));
      endLine();
      start = at + 1;
    }
    if (start < bytesRead) addPart(chunk.subarray(start));
  }
  if (lineBytes > 0) endLine();
  return { bytes: Buffer.concat(kept), lines: keptLines, totalLines: line - 1, totalBytes, longLineBytes, cutBy };
}
