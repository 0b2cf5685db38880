/** One program with its arguments, out of a line for a shell. */
export interface ShellCommand {
  /** Quotes taken off, assignments before the program left out. What only a running shell knows stays as it is: `$HOME`, `*.txt`. */
  words: string[];
  /** Files that it writes to: `> file`, `>> file`, `&> file`. */
  writes: string[];
  /** Its output goes into the next one. */
  isPiped: boolean;
}

const OPERATORS = /^(?:&&|\|\||;;|;|\|&|\||&|\n|\(|\)|\{(?=\s)|\}(?=\s|;|$))/;
const REDIRECT = /^(?:\d*|&)(>>|>\||>|<<<|<<|<)(?:&(?=\d))?/;
/** Words of the shell itself that stand before a command. */
const KEYWORDS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  'time',
  '!',
  'exec',
  'command',
  'builtin',
  'nohup',
  'env',
]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);
const MAX_DEPTH = 5;

/**
 * Every command that a line would run, those in pipes, lists, subshells, `$(…)`, `bash -c`, `xargs`, `find -exec` and `sudo` among them. It
 * reads, it does not run: what is put together at run time is not seen, and a line that no shell would take gives what could be read.
 */
export function shellCommands(line: string, depth = 0): ShellCommand[] {
  const found: ShellCommand[] = [];
  const inner: string[] = [];
  let words: string[] = [];
  let writes: string[] = [];
  const end = (isPiped: boolean): void => {
    while (words[0] !== undefined && (KEYWORDS.has(words[0]) || ASSIGNMENT.test(words[0]))) words.shift();
    if (words.length + writes.length > 0) found.push({ words, writes, isPiped });
    words = [];
    writes = [];
  };
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at);
    const blank = /^(?:[ \t\r]|\\\n)+|^#[^\n]*/.exec(rest)?.[0];
    const operator = blank ? undefined : OPERATORS.exec(rest)?.[0];
    const redirect = blank || operator ? undefined : REDIRECT.exec(rest);
    if (blank) at += blank.length;
    else if (operator) {
      end(operator === '|' || operator === '|&');
      at += operator.length;
    } else if (redirect) {
      at += redirect[0].length;
      at += /^[ \t]*/.exec(line.slice(at))?.[0].length ?? 0;
      const { text, length } = readWord(line.slice(at), inner);
      at += Math.max(length, 1);
      if (redirect[1]?.startsWith('>') && text !== '' && !/^&?\d+$/.test(text)) writes.push(text);
    } else {
      const { text, length } = readWord(rest, inner);
      at += Math.max(length, 1);
      if (length > 0) words.push(text);
    }
  }
  end(false);
  if (depth >= MAX_DEPTH) return found;
  const nested = [...inner.flatMap((text) => shellCommands(text, depth + 1)), ...found.flatMap((one) => carried(one, depth + 1))];
  return [...found, ...nested];
}

/** A word to its end, quotes taken off. What is in `$(…)` and backticks is noted as commands of their own. */
function readWord(rest: string, inner: string[]): { text: string; length: number } {
  let text = '';
  let at = 0;
  let quote: string | undefined;
  while (at < rest.length) {
    const char = rest[at] ?? '';
    if (quote === "'") {
      if (char === "'") quote = undefined;
      else text += char;
    } else if (char === '\\' && at + 1 < rest.length) {
      at += 1;
      // At the end of a line it joins the two.
      if (rest[at] !== '\n') text += rest[at];
    } else if (char === '$' && rest[at + 1] === '(') {
      const length = closing(rest.slice(at + 2), '(', ')');
      inner.push(rest.slice(at + 2, at + 2 + length));
      text += rest.slice(at, at + 3 + length);
      at += 2 + length;
    } else if (char === '`') {
      const length = Math.max(0, rest.indexOf('`', at + 1) - at - 1);
      inner.push(rest.slice(at + 1, at + 1 + length));
      text += rest.slice(at, at + 2 + length);
      at += 1 + length;
    } else if (quote === '"') {
      if (char === '"') quote = undefined;
      else text += char;
    } else if (char === '"' || char === "'") quote = char;
    else if (/[\s;|&()<>]/.test(char)) break;
    else text += char;
    at += 1;
  }
  return { text, length: at };
}

/** How far it is to the bracket that closes. */
function closing(text: string, open: string, close: string): number {
  let depth = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === open) depth += 1;
    if (text[at] === close) depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Commands that a command is told to run. */
function carried({ words, isPiped }: ShellCommand, depth: number): ShellCommand[] {
  const [program = '', ...args] = words;
  const name = program.split('/').at(-1) ?? '';
  const asCommand = (rest: string[]): ShellCommand[] => {
    if (rest.length === 0) return [];
    const one = { words: rest, writes: [], isPiped };
    return [one, ...(depth < MAX_DEPTH ? carried(one, depth + 1) : [])];
  };
  if (SHELLS.has(name)) {
    const at = args.findIndex((arg) => /^-[a-z]*c[a-z]*$/.test(arg));
    return at < 0 ? [] : shellCommands(args[at + 1] ?? '', depth);
  }
  if (name === 'eval') return shellCommands(args.join(' '), depth);
  if (name === 'sudo' || name === 'doas' || name === 'xargs' || name === 'timeout' || name === 'nice' || name === 'watch') {
    // Options, and for timeout its time, come first.
    const at = args.findIndex((arg) => !arg.startsWith('-') && !/^\d/.test(arg));
    return at < 0 ? [] : asCommand(args.slice(at));
  }
  if (name === 'find') {
    const at = args.findIndex((arg) => /^-(?:exec|execdir|ok|okdir)$/.test(arg));
    return at < 0 ? [] : asCommand(args.slice(at + 1).filter((arg) => arg !== ';' && arg !== '+'));
  }
  return [];
}
