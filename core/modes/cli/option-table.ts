import type { ThinkingLevel } from '../../protocol/model.js';

/** Spelled out here because importing the list would load zod at start-up; `satisfies` keeps the two in step. */
const THINKING_CHOICES = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly ThinkingLevel[];

/** Headings of `--help`, in its order. */
export const OPTION_GROUPS = ['Mode', 'Model', 'Session', 'Tools', 'Resources', 'Limits', 'Other'] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/**
 * - `flag`: given or not.
 * - `value`: one value; the last one given counts.
 * - `repeatable`: one value each time it is given, all are kept in order. With `list`, commas separate values too.
 * - `optionalValue`: may stand alone.
 */
export type OptionKind = 'flag' | 'value' | 'repeatable' | 'optionalValue';

export interface OptionRow {
  /** Without the dashes, kebab-case; the parsed options carry it in camelCase. */
  readonly name: string;
  readonly kind: OptionKind;
  readonly help: string;
  readonly group: OptionGroup;
  /** Other spellings, dashes included. */
  readonly aliases?: readonly string[];
  readonly valueName?: string;
  readonly choices?: readonly string[];
  /** What happens to a value outside `choices`: an error (the default), or a warning that ignores it. */
  readonly badChoice?: 'warn';
  /** `integer` and `number` become numbers, `text` may be blank. Default: a string with something in it. */
  readonly type?: 'integer' | 'number' | 'text';
  /** Least and greatest number allowed. */
  readonly min?: number;
  readonly max?: number;
  /** What a value must look like, and the words that say so. */
  readonly pattern?: { readonly regex: RegExp; readonly says: string };
  /** `repeatable` only: one argument may hold several values, separated by commas. */
  readonly list?: true;
  /** Switches that this one takes back: the last one given of them counts. */
  readonly overrides?: readonly string[];
  /** Accepted for the sake of callers of terminal programs; does nothing here and is not in `--help`. */
  readonly terminalOnly?: true;
  /** Known but impossible without a terminal: giving it is an error that says this. */
  readonly refused?: string;
}

/**
 * Every option of the command line. Adding one is adding a row: parsing, types, `--help`, the suggestions of error messages and
 * the capabilities command all read this table.
 * Source: "Using Pi", CLI reference; rows of the Limits group and `--seq` are ours.
 */
export const OPTIONS = [
  {
    name: 'mode',
    kind: 'value',
    valueName: 'mode',
    choices: ['text', 'json', 'rpc'],
    group: 'Mode',
    help: 'text (the answer), json (every event as a line of JSON) or rpc (commands on stdin)',
  },
  {
    name: 'print',
    kind: 'flag',
    aliases: ['-p'],
    group: 'Mode',
    help: 'Answer the prompt on stdout and exit (what text mode does anyway)',
  },
  { name: 'seq', kind: 'flag', group: 'Mode', help: 'Number every record of rpc mode, so that get_events can replay them' },
  {
    name: 'export',
    kind: 'value',
    valueName: 'session',
    group: 'Mode',
    help: 'Write a session as HTML and exit; the next argument names the output',
  },

  {
    name: 'provider',
    kind: 'value',
    valueName: 'name',
    group: 'Model',
    help: 'Provider, such as anthropic, openai, google or offline',
  },
  {
    name: 'model',
    kind: 'value',
    valueName: 'pattern',
    group: 'Model',
    help: 'Model id or part of it; also provider/id, and :level at the end',
  },
  {
    name: 'api-key',
    kind: 'value',
    valueName: 'key',
    group: 'Model',
    help: 'Key of the provider, instead of auth.json and the environment',
  },
  {
    name: 'thinking',
    kind: 'value',
    valueName: 'level',
    choices: THINKING_CHOICES,
    badChoice: 'warn',
    group: 'Model',
    help: 'How much a reasoning model thinks: off, minimal, low, medium, high, xhigh or max',
  },
  {
    name: 'models',
    kind: 'repeatable',
    list: true,
    valueName: 'patterns',
    group: 'Model',
    help: 'Models that cycle_model goes through, separated by commas',
  },
  {
    name: 'list-models',
    kind: 'optionalValue',
    valueName: 'search',
    group: 'Model',
    help: 'List the models that can be used, and exit',
  },

  { name: 'continue', kind: 'flag', aliases: ['-c'], group: 'Session', help: 'Go on with the latest session of this directory' },
  {
    name: 'session',
    kind: 'value',
    valueName: 'path|id',
    group: 'Session',
    help: 'Open this session file (made if missing) or the session whose id begins so',
  },
  {
    name: 'session-id',
    kind: 'value',
    valueName: 'id',
    pattern: {
      regex: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
      says: 'may hold letters, digits, "-", "_" and "." and must begin and end with a letter or digit',
    },
    group: 'Session',
    help: 'Open the session with exactly this id, or start one with it',
  },
  {
    name: 'fork',
    kind: 'value',
    valueName: 'path|id',
    group: 'Session',
    help: 'Copy this session into a new one and go on there',
  },
  { name: 'session-dir', kind: 'value', valueName: 'dir', group: 'Session', help: 'Directory for session files' },
  { name: 'no-session', kind: 'flag', group: 'Session', help: 'Keep nothing on disk' },
  { name: 'name', kind: 'value', aliases: ['-n'], valueName: 'name', group: 'Session', help: 'Display name of the session' },
  {
    name: 'resume',
    kind: 'flag',
    aliases: ['-r'],
    group: 'Session',
    terminalOnly: true,
    refused: 'lets a person choose a session in a terminal; use --continue for the latest one or --session for a certain one',
    help: '',
  },

  {
    name: 'tools',
    kind: 'repeatable',
    list: true,
    aliases: ['-t'],
    valueName: 'list',
    group: 'Tools',
    help: 'Offer only these tools, separated by commas',
  },
  {
    name: 'exclude-tools',
    kind: 'repeatable',
    list: true,
    aliases: ['-xt'],
    valueName: 'list',
    group: 'Tools',
    help: 'Do not offer these tools',
  },
  { name: 'no-builtin-tools', kind: 'flag', aliases: ['-nbt'], group: 'Tools', help: 'Offer only tools of extensions' },
  { name: 'no-tools', kind: 'flag', aliases: ['-nt'], group: 'Tools', help: 'Offer no tools' },

  {
    name: 'extension',
    kind: 'repeatable',
    aliases: ['-e'],
    valueName: 'source',
    group: 'Resources',
    help: 'Load an extension; may be repeated',
  },
  {
    name: 'no-extensions',
    kind: 'flag',
    aliases: ['-ne'],
    group: 'Resources',
    help: 'Load no extensions but those given with -e',
  },
  { name: 'skill', kind: 'repeatable', valueName: 'path', group: 'Resources', help: 'Load a skill; may be repeated' },
  { name: 'no-skills', kind: 'flag', aliases: ['-ns'], group: 'Resources', help: 'Load no skills but those given with --skill' },
  {
    name: 'prompt-template',
    kind: 'repeatable',
    valueName: 'path',
    group: 'Resources',
    help: 'Load a prompt template; may be repeated',
  },
  {
    name: 'no-prompt-templates',
    kind: 'flag',
    aliases: ['-np'],
    group: 'Resources',
    help: 'Load no prompt templates but those given with --prompt-template',
  },
  { name: 'theme', kind: 'repeatable', valueName: 'path', group: 'Resources', terminalOnly: true, help: '' },
  { name: 'no-themes', kind: 'flag', group: 'Resources', terminalOnly: true, help: '' },
  { name: 'no-context-files', kind: 'flag', aliases: ['-nc'], group: 'Resources', help: 'Do not read AGENTS.md and CLAUDE.md' },
  {
    name: 'system-prompt',
    kind: 'value',
    type: 'text',
    valueName: 'text|file',
    group: 'Resources',
    help: 'Replace the system prompt',
  },
  {
    name: 'append-system-prompt',
    kind: 'repeatable',
    type: 'text',
    valueName: 'text|file',
    group: 'Resources',
    help: 'Add to the system prompt; may be repeated',
  },
  {
    name: 'approve',
    kind: 'flag',
    aliases: ['-a'],
    overrides: ['no-approve'],
    group: 'Resources',
    help: 'Trust the files of this project for this run',
  },
  {
    name: 'no-approve',
    kind: 'flag',
    aliases: ['-na'],
    overrides: ['approve'],
    group: 'Resources',
    help: 'Ignore the settings and resources of this project for this run',
  },

  {
    name: 'max-turns',
    kind: 'value',
    type: 'integer',
    min: 1,
    valueName: 'n',
    group: 'Limits',
    help: 'Stop after this many model calls',
  },
  {
    name: 'max-cost',
    kind: 'value',
    type: 'number',
    min: 0,
    valueName: 'usd',
    group: 'Limits',
    help: 'Stop when the session has cost this many US dollars',
  },
  {
    name: 'dialog-timeout',
    kind: 'value',
    type: 'integer',
    min: 1,
    // What a timer can hold.
    max: 2_147_483_647,
    valueName: 'ms',
    group: 'Limits',
    help: 'Answer a dialog with its default after this time',
  },
  { name: 'no-dialogs', kind: 'flag', group: 'Limits', help: 'Answer every dialog with its default at once' },

  { name: 'offline', kind: 'flag', group: 'Other', help: 'No network at start-up (as PI_OFFLINE=1)' },
  { name: 'verbose', kind: 'flag', group: 'Other', help: 'Say more on stderr' },
  {
    name: 'tui-mode',
    kind: 'value',
    valueName: 'mode',
    choices: ['regular', 'fullscreen'],
    badChoice: 'warn',
    group: 'Other',
    terminalOnly: true,
    help: '',
  },
  { name: 'help', kind: 'flag', aliases: ['-h'], group: 'Other', help: 'Show this and exit' },
  { name: 'version', kind: 'flag', aliases: ['-v'], group: 'Other', help: 'Show the version and exit' },
] as const satisfies readonly OptionRow[];

type Row = (typeof OPTIONS)[number];

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S;

type ScalarOf<R> = R extends { choices: readonly (infer C)[] } ? C : R extends { type: 'integer' | 'number' } ? number : string;

type ValueOf<R extends Row> = R['kind'] extends 'flag'
  ? boolean
  : R['kind'] extends 'repeatable'
    ? readonly string[] | undefined
    : R['kind'] extends 'optionalValue'
      ? string | true | undefined
      : ScalarOf<R> | undefined;

/**
 * What was asked for, by camelCase name. Flags are `false` and everything else is `undefined` unless given; a repeatable option
 * that was given is a list, possibly empty (`--tools ""` allows no tool, which is not the same as no `--tools`).
 */
export type ParsedOptions = { readonly [R in Row as CamelCase<R['name']>]: ValueOf<R> };

/** The key of a row in {@link ParsedOptions}. */
export function optionKey(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Every long option as it is typed (`--mode`), for `get_capabilities`. Those that do nothing here are left out. */
export function optionNames(): string[] {
  const rows: readonly OptionRow[] = OPTIONS;
  return rows.filter((row) => !row.terminalOnly).map((row) => `--${row.name}`);
}
