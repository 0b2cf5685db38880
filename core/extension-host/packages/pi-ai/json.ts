import { parseArguments } from '../../../providers/lenient-json.js';

/** Parses JSON whose strings may hold raw control characters or backslashes that escape nothing. Throws `SyntaxError` for all else. */
export function parseJsonWithRepair<T = unknown>(text: string): T {
  try {
    return JSON.parse(text) as T; // what it is, the caller says
  } catch (error) {
    const repaired = repairJson(text);
    if (repaired === text) throw error;
    return JSON.parse(repaired) as T;
  }
}

/** Parses as much as there is of JSON that is still being written; `{}` when nothing can be read. Never throws. */
export function parseStreamingJson<T = Record<string, unknown>>(text: string | undefined): T {
  if (text === undefined || text.trim() === '') return {} as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    // Not whole, or not right: as a member of an object it is read as far as it goes, whatever it is.
    return (parseArguments(`{"value":${text}`).value ?? {}) as T;
  }
}

const CONTROL: Readonly<Record<string, string>> = { '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes raw control characters within strings, and backslashes there that begin no escape. */
export function repairJson(text: string): string {
  let result = '';
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (!inString) {
      inString = char === '"';
      result += char;
    } else if (char === '"') {
      inString = false;
      result += char;
    } else if (char === '\\') {
      const [written] = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at, at + 6)) ?? ['\\\\'];
      result += written;
      // A backslash that was doubled here took no character with it.
      if (written !== '\\\\' || text[at + 1] === '\\') at += written.length - 1;
    } else {
      result += char < ' ' ? (CONTROL[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`) : char;
    }
  }
  return result;
}
