/** The text with control characters and those that turn the writing direction shown by their codes: safe for one line of a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The text for a model or a client: control characters other than line ends and tabs are blanks. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, ' ');
}
