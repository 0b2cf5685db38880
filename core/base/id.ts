import { randomBytes } from 'node:crypto';

/** A time-ordered UUID (version 7, RFC 9562): sorts by creation, which listings of sessions rely on. */
export function uuidV7(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Eight hex digits, as session entries use. `taken` keeps it unique within one session. */
export function shortId(taken?: { has(id: string): boolean }): string {
  for (;;) {
    const id = randomBytes(4).toString('hex');
    if (!taken?.has(id)) return id;
  }
}
