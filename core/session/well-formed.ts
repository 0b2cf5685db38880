/** Methods of ES2024 that Node has had since version 20; the library typings in use are older. */
interface WellFormedString {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** The text with every lone surrogate replaced by U+FFFD: providers refuse a request that holds one. */
export function wellFormed(text: string): string {
  const checked = text as unknown as WellFormedString; // see above
  return checked.isWellFormed() ? text : checked.toWellFormed();
}

/** How `JSON.stringify` writes a lone surrogate, told apart from an escaped backslash before a plain `ud800`. */
const ESCAPED_SURROGATE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/**
 * A tool call's arguments as a JSON object without lone surrogates, in keys and values at any depth; the same object when
 * nothing is wrong with it. What is no object becomes an empty one: providers take nothing else.
 */
export function wellFormedArguments(args: unknown): Record<string, unknown> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  const given = args as Record<string, unknown>; // an object, as just checked
  let text: string;
  try {
    text = JSON.stringify(given);
  } catch {
    // Too deep or cyclic (an extension's work): it could not be sent.
    return {};
  }
  if (!text.includes('\\ud')) return given;
  const replaced = text.replace(ESCAPED_SURROGATE, (match) => (match === '\\\\' ? match : '\ufffd'));
  if (replaced === text) return given;
  const fixed: unknown = JSON.parse(replaced);
  return fixed as Record<string, unknown>; // the text of an object
}
