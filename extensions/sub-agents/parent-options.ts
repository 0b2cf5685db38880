import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What of the command line of this session also holds for its sub-agents. */
export interface ParentOptions {
  /** Options to start a child with, as they were written. */
  passedOn: string[];
  /** US dollars of the whole process. */
  maxCost?: number;
  /** Model calls of the whole process. */
  maxTurns?: number;
}

/** Where extensions, skills and prompts come from, and who pays: the same for a child. */
const PASSED_FLAGS = new Set([
  '--no-extensions',
  '-ne',
  '--no-skills',
  '-ns',
  '--no-prompt-templates',
  '-np',
  '--no-context-files',
  '-nc',
  '--offline',
]);
const PASSED_VALUES = new Set(
  [
    '--extension',
    '-e',
    '--skill',
    '--prompt-template',
    '--system-prompt',
    '--append-system-prompt',
    '--api-key',
    '--dialog-timeout',
  ], // one value each
);
/** What a child is told in another way, or what is about this session alone. */
const OTHER_FLAGS = new Set([
  '--print',
  '-p',
  '--seq',
  '--continue',
  '-c',
  '--no-session',
  '--resume',
  '-r',
  '--no-builtin-tools',
  '-nbt',
  '--no-tools',
  '-nt',
  '--no-themes',
  '--approve',
  '-a',
  '--no-approve',
  '-na',
  '--no-dialogs',
  '--verbose',
]);
const OTHER_VALUES = new Set([
  '--mode',
  '--export',
  '--provider',
  '--model',
  '--thinking',
  '--models',
  '--session',
  '--session-id',
  '--fork',
  '--session-dir',
  '--name',
  '-n',
  '--tools',
  '-t',
  '--exclude-tools',
  '-xt',
  '--theme',
  '--max-turns',
  '--max-cost',
  '--tui-mode',
]);

/** Reads a command line without its program. Options that are not the program's are flags of extensions, and go to the child too. */
export function toParentOptions(args: readonly string[]): ParentOptions {
  const options: ParentOptions = { passedOn: [] };
  for (let at = 0; at < args.length && args[at] !== '--'; at++) {
    const [word = '', next] = args.slice(at, at + 2);
    if (PASSED_FLAGS.has(word)) options.passedOn.push(word);
    else if (PASSED_VALUES.has(word) && next !== undefined) options.passedOn.push(word, args[++at] ?? '');
    else if (OTHER_VALUES.has(word)) {
      at += 1;
      const limit = Number(next);
      if (word === '--max-cost' && Number.isFinite(limit)) options.maxCost = limit;
      if (word === '--max-turns' && Number.isFinite(limit)) options.maxTurns = limit;
    } else if (word.startsWith('--') && !OTHER_FLAGS.has(word)) {
      options.passedOn.push(word);
      // Perhaps its value, perhaps a prompt: a child in rpc mode takes no prompt from its command line.
      if (next !== undefined && !/^[-@]/.test(next)) options.passedOn.push(args[++at] ?? '');
    }
  }
  return options;
}

/** The arguments this session was started with. Where they can't be known there are none. */
export function parentArguments(cwd: string): string[] {
  const own = process.argv.slice(2);
  return own.length > 0 ? own : argumentsOfCore(cwd);
}

/** Extensions run in a process whose parent is the one with the command line; Linux shows it. */
function argumentsOfCore(cwd: string): string[] {
  try {
    const words = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    const program = words.findIndex((word) => path.resolve(cwd, word) === process.argv[1]);
    return program < 0 ? [] : words.slice(program + 1);
  } catch {
    // Another system: limits and paths of the settings still hold, those of the command line do not.
    return [];
  }
}
