import { escapeSeparators } from './jsonl.js';

/** What is written several times is written soon after: as events, as an entry, as part of what ends a turn. */
const KEPT = 32;
const KEPT_CHARS = 4 * 1024 * 1024;

const texts = new Map<object, string>();
let chars = 0;

/**
 * The JSON of a value that nobody changes any more, separators escaped. The text of the last few values is kept, so that one which
 * is written again soon is not encoded again. A value JSON can't write is the caller's bug and throws.
 */
export function encodeOnce(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = escapeSeparators(JSON.stringify(value));
  if (text.length > KEPT_CHARS) return text;
  texts.set(value, text);
  chars += text.length;
  for (const [oldest, { length }] of texts) {
    if (texts.size <= KEPT && chars <= KEPT_CHARS) break;
    texts.delete(oldest);
    chars -= length;
  }
  return text;
}

/** Forgets what is kept: what comes is another matter. */
export function forgetEncoded(): void {
  texts.clear();
  chars = 0;
}

/** The JSON of a record, separators escaped, whose members of these names are, or are lists of, values for {@link encodeOnce}. */
export function encodeAround(record: object, members: ReadonlySet<string>): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(record)) {
    const text = members.has(key) ? encodeMember(value) : JSON.stringify(value);
    // As JSON.stringify does with what JSON has no word for.
    if (text !== undefined) parts.push(`${JSON.stringify(key)}:${members.has(key) ? text : escapeSeparators(text)}`);
  }
  return `{${parts.join(',')}}`;
}

function encodeMember(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.map((item) => encodeMember(item) ?? 'null').join(',')}]`;
  return typeof value === 'object' && value !== null ? encodeOnce(value) : JSON.stringify(value);
}
