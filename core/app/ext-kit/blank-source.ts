/** After these a slash begins a regular expression and no division. */
const BEFORE_REGEX = /(?:^|[=([{,;:!&|?+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield|throw|new))\s*$/;

/**
 * The source with blanks for all that is no code: comments, and the text of strings and regular expressions, whose quotes and slashes stay. Every character
 * keeps its place, so that a place found in the result is the same one in the source. What stands in `${}` of a template stays.
 */
export function blankSource(source: string): string {
  const out = source.split('');
  /** Braces open in each template that is being read. */
  const templates: number[] = [];
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at++) if (out[at] !== '\n') out[at] = ' ';
  };
  let at = 0;
  while (at < source.length) {
    const char = source[at];
    const two = source.slice(at, at + 2);
    if (two === '//' || two === '/*') {
      const end = two === '//' ? source.indexOf('\n', at) : source.indexOf('*/', at + 2);
      const to = end < 0 ? source.length : two === '//' ? end : end + 2;
      blank(at, to);
      at = to;
    } else if (char === "'" || char === '"') {
      const to = endOfText(source, at + 1, char);
      blank(at + 1, to);
      at = to + 1;
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop();
      const { to, opens } = endOfTemplate(source, at + 1);
      blank(at + 1, to);
      if (opens) templates.push(0);
      at = to + (opens ? 2 : 1);
    } else if (char === '/' && BEFORE_REGEX.test(out.slice(Math.max(0, at - 40), at).join(''))) {
      const to = endOfRegex(source, at + 1);
      blank(at + 1, to);
      at = to + 1;
    } else {
      const last = templates.length - 1;
      if (last >= 0 && char === '{') templates[last] = (templates[last] ?? 0) + 1;
      if (last >= 0 && char === '}') templates[last] = (templates[last] ?? 0) - 1;
      at++;
    }
  }
  return out.join('');
}

/** Where the closing quote is, or the end of the line for a string that is never closed. */
function endOfText(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === quote || source[at] === '\n') return at;
  }
  return source.length;
}

/** Where the template ends or a `${` begins. */
function endOfTemplate(source: string, from: number): { to: number; opens: boolean } {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '`') return { to: at, opens: false };
    else if (source.startsWith('${', at)) return { to: at, opens: true };
  }
  return { to: source.length, opens: false };
}

function endOfRegex(source: string, from: number): number {
  let inClass = false;
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '\n') return at;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at;
  }
  return source.length;
}
