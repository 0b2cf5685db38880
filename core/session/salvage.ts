import type { EntryScanner, ScannedLine } from './entry-scanner.js';

/** True for an object that stands where an entry should: a type and an id. */
export function isEntry(line: ScannedLine): boolean {
  return line.type !== null && line.type !== '' && line.type !== 'session' && line.id !== null && line.id !== '';
}

/** Within a damaged line a content block or tool call has a type, and perhaps an id, too. */
export function isCertainEntry(line: ScannedLine): boolean {
  return isEntry(line) && line.parentId !== undefined && line.hasTimestamp;
}

/**
 * Finds whole entries within a damaged line: records glued together, or one glued to half of another. `onEntry` gets the place of
 * each while the scanner holds what it says. Returns how many there were.
 */
export function salvage(
  scanner: EntryScanner,
  bytes: Buffer,
  start: number,
  end: number,
  onEntry: (start: number, end: number) => void,
): number {
  let found = 0;
  for (let at = start; at >= 0 && at < end; ) {
    const after = scanner.scan(bytes, at, end);
    if (after >= 0 && isCertainEntry(scanner.line)) {
      onEntry(at, after);
      found++;
      at = after;
      continue;
    }
    // Both this program and the existing one write `type` first.
    const next = bytes.indexOf('{"type":"', at + 1, 'latin1');
    at = next < end ? next : -1;
  }
  return found;
}

export function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
