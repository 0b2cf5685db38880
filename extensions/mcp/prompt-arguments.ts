import type { Prompt } from '@modelcontextprotocol/sdk/types.js';

/**
 * Arguments of a prompt as they are typed after its command: `name=value` in any order, the others in the order in which the server lists
 * them; quotes hold blanks together. What is left over goes into the last one.
 */
export function toPromptArguments(typed: string, { arguments: known = [] }: Prompt): Record<string, string> {
  const values: Record<string, string> = {};
  const positional: string[] = [];
  for (const word of words(typed)) {
    const at = word.indexOf('=');
    const name = word.slice(0, Math.max(0, at));
    if (known.some((one) => one.name === name)) values[name] = word.slice(at + 1);
    else positional.push(word);
  }
  const open = known.filter(({ name }) => !Object.hasOwn(values, name));
  for (const [at, { name }] of open.entries()) {
    const rest = at === open.length - 1 ? positional.splice(0).join(' ') : positional.shift();
    if (rest) values[name] = rest;
  }
  return values;
}

/** Those the server wants and nobody gave. */
export function missingArguments(values: Readonly<Record<string, string>>, { arguments: known = [] }: Prompt): string[] {
  return known.filter(({ name, required }) => required && !Object.hasOwn(values, name)).map(({ name }) => name);
}

function words(typed: string): string[] {
  const found = typed.matchAll(/(?:[^\s"']+|"[^"]*"?|'[^']*'?)+/g);
  return [...found].map(([word]) =>
    word.replaceAll(/"([^"]*)"?|'([^']*)'?/g, (_, one?: string, other?: string) => one ?? other ?? ''),
  );
}
