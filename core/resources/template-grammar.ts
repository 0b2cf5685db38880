/**
 * The arguments of `/name …`: words between blanks; '…' and "…" keep what is between them together, without the quotes. Nothing else is
 * special: a backslash is a backslash. A quote without its partner is an ordinary character; quotes with nothing between are no argument.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const close = char === '"' || char === "'" ? text.indexOf(char, at + 1) : -1;
    if (close > at) {
      word = (word ?? '') + text.slice(at + 1, close);
      at = close;
    } else if (/\s/.test(char)) {
      if (word) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word) words.push(word);
  return words;
}

const PLACEHOLDER =
  /\$\{(?:([1-9]\d*|@|ARGUMENTS)(?::-([^}]*))?|@:(\d+)(?::(\d+))?)\}|\$(?:([1-9]\d*)|(@)|ARGUMENTS(?![A-Za-z0-9_]))/g;

/**
 * Fills a template's placeholders in one pass: what is put in is never looked at again. Whatever is no placeholder stays as it is.
 * The grammar is written down in docs/prompt-templates.md; its table is the test.
 */
export function fillTemplate(body: string, args: readonly string[]): string {
  const all = args.join(' ');
  return body.replace(
    PLACEHOLDER,
    (_match, braced?: string, fallback?: string, from?: string, count?: string, position?: string) => {
      if (from !== undefined) {
        // Counted from 1, as the positions are; 0 means the same.
        const start = Math.max(0, Number(from) - 1);
        return args.slice(start, count === undefined ? undefined : start + Number(count)).join(' ');
      }
      const name = braced ?? position ?? '@';
      const value = /^\d/.test(name) ? (args[Number(name) - 1] ?? '') : all;
      return value === '' && fallback !== undefined ? fallback : value;
    },
  );
}
