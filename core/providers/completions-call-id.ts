const SHORT = /^[A-Za-z0-9]{9}$/;
const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
const LENGTH = 9;

/** The id in nine letters and digits, the same each time: its own when it is that already, else a hash of it. */
export function shortCallId(id: string): string {
  if (SHORT.test(id)) return id;
  // FNV-1a, 64 bits: short enough to be exact, long enough for the calls of one conversation.
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < id.length; at++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(at))) * 0x100000001b3n);
  }
  let short = '';
  for (let at = 0; at < LENGTH; at++) {
    short += LETTERS[Number(hash % 36n)];
    hash /= 36n;
  }
  return short;
}
