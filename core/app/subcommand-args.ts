/** What a subcommand may be given. */
export interface ArgumentRules {
  /** Spellings, with the name each stands for. */
  flags: Readonly<Record<string, string>>;
  /** Most words besides flags. */
  maxWords: number;
}

export interface SubcommandArguments {
  flags: ReadonlySet<string>;
  words: readonly string[];
}

/** The words and flags of a subcommand, `help`, or what is wrong with the call. After `--` everything is a word. */
export function parseSubcommand(
  args: readonly string[],
  rules: ArgumentRules,
): SubcommandArguments | 'help' | { problem: string } {
  const flags = new Set<string>();
  const words: string[] = [];
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  if (before.some((arg) => arg === '--help' || arg === '-h')) return 'help';
  for (const arg of before) {
    const flag = Object.hasOwn(rules.flags, arg) ? rules.flags[arg] : undefined;
    if (flag !== undefined) flags.add(flag);
    else if (arg.startsWith('-')) return { problem: `there is no option ${arg}` };
    else words.push(arg);
  }
  if (end >= 0) words.push(...args.slice(end + 1));
  if (words.length > rules.maxWords) return { problem: `"${words[rules.maxWords]}" is one argument too many` };
  return { flags, words };
}

/** Spellings of the two options about trust, as the main program has them. */
export const TRUST_FLAGS = { '--approve': 'approve', '-a': 'approve', '--no-approve': 'noApprove', '-na': 'noApprove' } as const;
