/** A string is opened this many times: models encode twice, nobody encodes ten times. */
const MAX_LAYERS = 3;

/**
 * The object or array that a model wrote as text: fenced as Markdown, encoded twice, with raw control characters inside strings or with
 * trailing commas. Undefined when the text is nothing of the kind. Plain numbers and words are not taken for JSON.
 */
export function parseLenientJson(text: string): object | undefined {
  let current = text;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const value = parseOnce(current.trim());
    if (typeof value === 'object' && value !== null) return value;
    if (typeof value !== 'string') return undefined;
    current = value;
  }
  return undefined;
}

function parseOnce(text: string): unknown {
  const body = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(text)?.[1]?.trim() ?? text;
  if (!/^[[{"]/.test(body)) return undefined;
  for (const candidate of [() => body, () => mended(body)]) {
    try {
      return JSON.parse(candidate());
    } catch {
      // Not JSON as it stands: try it mended, then leave it as the text it is.
    }
  }
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' };

/** Escapes control characters inside string literals and drops commas before a closing bracket outside them. */
function mended(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[}\]])/g, (part) => {
    if (part === ',') return '';
    return part.replace(/[\u0000-\u001f]/g, (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}
