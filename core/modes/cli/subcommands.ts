export interface SubcommandRow {
  readonly name: string;
  readonly usage: string;
  readonly help: string;
  /**
   * The word is reserved, so that `pi install x` is never sent to a model as a prompt, but the command is not built yet: it is
   * not in `--help`, and running it has to say so.
   */
  readonly planned?: true;
}

/** Words that are commands when they come first. What follows them is theirs to parse. */
export const SUBCOMMANDS = [
  { name: 'auth', usage: 'auth set|list|remove [provider]', help: 'Keep, list or remove provider keys' },
  { name: 'session', usage: 'session list|doctor|unlock [session]', help: 'List, check and repair sessions' },
  { name: 'trust', usage: 'trust [path] [--pin] | --list', help: 'Let sessions load what a project brings' },
  { name: 'untrust', usage: 'untrust [path]', help: 'Do not let them' },
  { name: 'install', usage: 'install <source> [-l]', help: 'Fetch a package and add it to the settings' },
  { name: 'remove', usage: 'remove <source> [-l]', help: 'Take a package out again' },
  { name: 'uninstall', usage: 'uninstall <source> [-l]', help: 'The same as remove' },
  { name: 'update', usage: 'update [source]', help: 'Fetch what packages are now' },
  { name: 'list', usage: 'list', help: 'List the packages of the settings' },
  { name: 'config', usage: 'config [enable|disable <name>] [builtin on|off]', help: 'Choose which resources load' },
  {
    name: 'ext',
    usage: 'ext check|new|test|watch|trust|learn <extension> …',
    help: 'Write and check extensions, choose what one may do, or find out what it needs',
  },
  { name: 'doctor', usage: 'doctor [--json]', help: 'Look at everything a session here would use' },
] as const satisfies readonly SubcommandRow[];

export type SubcommandName = (typeof SUBCOMMANDS)[number]['name'];

export interface Subcommand {
  readonly name: SubcommandName;
  /** Everything after the word, untouched. */
  readonly args: readonly string[];
}

/** The subcommand `argv` begins with, if it does. Only the first word counts: `pi -p list` is a prompt. */
export function subcommandOf(argv: readonly string[]): Subcommand | undefined {
  const row = SUBCOMMANDS.find((candidate) => candidate.name === argv[0]);
  return row && { name: row.name, args: argv.slice(1) };
}
