/** What of the command line of this session also holds for its sub-agents. */
export interface ParentOptions {
  /** Options to start a child with, as they were written. */
  passedOn: string[];
  /** US dollars of the whole process. */
  maxCost?: number;
  /** Model calls of the whole process. */
  maxTurns?: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Where extensions, skills and prompts come from, and who pays: the same for a child. */
const PASSED_FLAGS = words('--no-extensions -ne --no-skills -ns --no-prompt-templates -np --no-context-files -nc --offline');
const PASSED_VALUES = words(
  '--extension -e --skill --prompt-template --system-prompt --append-system-prompt --api-key --dialog-timeout',
);
/** What a child is told in another way, or what is about this session alone. */
const OTHER_FLAGS = words(
  '--print -p --seq --continue -c --no-session --resume -r --no-builtin-tools -nbt --no-tools -nt --no-themes --approve -a --no-approve -na --no-dialogs --verbose',
);
const OTHER_VALUES = words(
  '--mode --export --provider --model --thinking --models --session --session-id --fork --session-dir --name -n --tools -t --exclude-tools -xt --theme --max-turns --max-cost --tui-mode',
);

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
