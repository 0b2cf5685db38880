import { CLI_ERRORS, type CliErrorCode } from './errors.js';
import { nearest } from './nearest.js';
import { OPTIONS, type OptionRow, optionKey, type ParsedOptions } from './option-table.js';
import { type Subcommand, subcommandOf } from './subcommands.js';

/** A flag that an extension registered. A `string` one takes a value. */
export interface ExtensionFlag {
  /** Without the dashes. */
  readonly name: string;
  readonly type: 'boolean' | 'string';
}

/** An option that nobody knows yet; an extension may claim it once extensions are loaded. */
export interface UnknownOption {
  /** As typed, without a value: `--plan`. */
  readonly spelling: string;
  /** Without the dashes. */
  readonly name: string;
  /** The part after `=`, if there was one. */
  readonly value?: string;
  /** The argument after it, which is its value if it turns out to take one. Until then it counts as a message or file as well. */
  readonly next?: string;
}

export interface UsageError {
  readonly code: CliErrorCode;
  /** One line, names the option. */
  readonly message: string;
}

export interface ParsedArguments {
  readonly ok: true;
  readonly options: ParsedOptions;
  /** The prompts, in order. */
  readonly messages: readonly string[];
  /** Paths given as `@path`, without the `@`. */
  readonly fileArgs: readonly string[];
  readonly unknown: readonly UnknownOption[];
  /** What extension flags were given, by name: a Map because the names are strangers' (`__proto__`). */
  readonly flagValues: ReadonlyMap<string, string | boolean>;
  /** One line each; the run goes on. */
  readonly warnings: readonly string[];
  /** Set when the first word is a subcommand; everything else is empty then. */
  readonly command?: Subcommand;
}

export type ParseResult = ParsedArguments | { readonly ok: false; readonly error: UsageError };

/** Looks like an option: dashes, a letter (or, after two dashes, a digit), no blanks. `-5` and `- a list` are messages. */
const OPTION_SHAPE = /^((?:--\w|-[A-Za-z])[^\s=]*)(?:=(.*))?$/s;

const ROWS: ReadonlyMap<string, OptionRow> = new Map(
  (OPTIONS as readonly OptionRow[]).flatMap((row) =>
    [`--${row.name}`, ...(row.aliases ?? [])].map((spelling) => [spelling, row]),
  ),
);

/**
 * Parses the arguments after the program's name.
 *
 * Long options take `--name value` and `--name=value`. The last value counts, repeatable options collect. `--` ends options:
 * what follows is prompt text, whatever it looks like. A value may begin with a dash unless it is an option or looks like a
 * long one; `--name=--value` passes such a value.
 *
 * Unknown long options are returned, not refused, because an extension may own them: call this again with the flags of the
 * loaded extensions and refuse what is still unknown with {@link unknownOptionError}.
 */
export function parseArguments(argv: readonly string[], extensionFlags: Iterable<ExtensionFlag> = []): ParseResult {
  const command = subcommandOf(argv);
  const state = new ParseState(extensionFlags);
  if (command) return { ...state.result(), command };
  try {
    parseInto(state, argv);
  } catch (thrown) {
    if (thrown instanceof UsageFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
  return state.result();
}

/** The error for an option that is still unknown when nobody is left who could claim it. */
export function unknownOptionError(spelling: string, extensionFlags: Iterable<ExtensionFlag> = []): UsageError {
  const flags = [...extensionFlags].map((flag) => `--${flag.name}`);
  const meant = nearest(spelling, [...ROWS.keys(), ...flags]);
  const hint = meant === undefined ? 'see --help' : `did you mean ${meant}?`;
  return { code: CLI_ERRORS.UNKNOWN_OPTION, message: `Unknown option: ${quote(spelling)} (${hint})` };
}

class UsageFailure extends Error {
  constructor(readonly error: UsageError) {
    super(error.message);
  }
}

class ParseState {
  readonly values = new Map<string, unknown>();
  readonly messages: string[] = [];
  readonly fileArgs: string[] = [];
  readonly unknown: UnknownOption[] = [];
  readonly flagValues = new Map<string, string | boolean>();
  readonly warnings: string[] = [];
  readonly flags: ReadonlyMap<string, ExtensionFlag>;

  constructor(flags: Iterable<ExtensionFlag>) {
    this.flags = new Map([...flags].map((flag) => [flag.name, flag]));
  }

  positional(arg: string): void {
    if (arg.length > 1 && arg.startsWith('@')) this.fileArgs.push(arg.slice(1));
    else this.messages.push(arg);
  }

  result(): ParsedArguments {
    const options: Record<string, unknown> = {};
    for (const row of OPTIONS)
      options[optionKey(row.name)] = this.values.get(row.name) ?? (row.kind === 'flag' ? false : undefined);
    const { messages, fileArgs, unknown, flagValues, warnings } = this;
    // Built from the same table that the type is computed from.
    return { ok: true, options: options as ParsedOptions, messages, fileArgs, unknown, flagValues, warnings };
  }
}

function parseInto(state: ParseState, argv: readonly string[]): void {
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? '';
    if (arg === '--') {
      state.messages.push(...argv.slice(i + 1));
      return;
    }
    const shape = OPTION_SHAPE.exec(arg);
    if (!shape) {
      refuseGluedValue(arg);
      state.positional(arg);
      continue;
    }
    const spelling = shape[1] ?? arg;
    const inline = shape[2];
    const row = ROWS.get(spelling);
    if (row) i += takeOption(state, row, spelling, inline, argv[i + 1]);
    else i += takeStranger(state, spelling, inline, argv[i + 1]);
  }
}

/** Handles one known option; says how many of the following arguments it used up. */
function takeOption(
  state: ParseState,
  row: OptionRow,
  spelling: string,
  inline: string | undefined,
  next: string | undefined,
): 0 | 1 {
  if (row.refused !== undefined) throw usage('NEEDS_TERMINAL', `${spelling} ${row.refused}`);
  switch (row.kind) {
    case 'flag':
      if (inline !== undefined) throw usage('UNEXPECTED_VALUE', `${spelling} takes no value, but got ${quote(inline)}`);
      for (const other of row.overrides ?? []) state.values.delete(other);
      state.values.set(row.name, true);
      return 0;
    case 'optionalValue': {
      const usesNext = inline === undefined && next !== undefined && next !== '' && !/^[-@]/.test(next);
      state.values.set(row.name, (usesNext ? next : inline) || true);
      return usesNext ? 1 : 0;
    }
    case 'value':
    case 'repeatable': {
      const raw = inline ?? next;
      if (raw === undefined || (inline === undefined && isOption(raw)))
        throw usage('MISSING_VALUE', missingValue(row, spelling, raw));
      if (row.kind === 'value') setValue(state, row, spelling, raw);
      else addValues(state, row, spelling, raw);
      return inline === undefined ? 1 : 0;
    }
  }
}

/** An extension's flag, or an option nobody knows yet. */
function takeStranger(state: ParseState, spelling: string, inline: string | undefined, next: string | undefined): 0 | 1 {
  const name = spelling.replace(/^--?/, '');
  // Extensions can only own long options, so nobody will ever claim a short one.
  if (!spelling.startsWith('--')) throw new UsageFailure(unknownOptionError(spelling, state.flags.values()));
  const flag = state.flags.get(name);
  const usable = next !== undefined && !isOption(next) ? next : undefined;
  if (!flag) {
    state.unknown.push({
      spelling,
      name,
      ...(inline !== undefined && { value: inline }),
      ...(inline === undefined && usable !== undefined && { next: usable }),
    });
    return 0;
  }
  if (flag.type === 'boolean') {
    if (inline !== undefined) throw usage('UNEXPECTED_VALUE', `${spelling} takes no value, but got ${quote(inline)}`);
    state.flagValues.set(name, true);
    return 0;
  }
  const value = inline ?? usable;
  if (value === undefined) throw usage('MISSING_VALUE', `${spelling} needs a value`);
  state.flagValues.set(name, value);
  return inline === undefined ? 1 : 0;
}

function setValue(state: ParseState, row: OptionRow, spelling: string, raw: string): void {
  if (row.type === 'integer' || row.type === 'number') {
    state.values.set(row.name, numberOf(row, spelling, raw));
    return;
  }
  if (row.choices && !row.choices.includes(raw)) {
    const meant = nearest(raw, row.choices);
    const text = `${spelling} must be one of ${row.choices.join(', ')}, not ${quote(raw)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    if (row.badChoice !== 'warn') throw usage('INVALID_VALUE', text);
    state.warnings.push(`${text}; ignored`);
    return;
  }
  if (row.type !== 'text' && raw.trim() === '') throw usage('MISSING_VALUE', `${spelling} needs a value that is not empty`);
  if (row.pattern && !row.pattern.regex.test(raw))
    throw usage('INVALID_VALUE', `${spelling} ${row.pattern.says}, not ${quote(raw)}`);
  state.values.set(row.name, raw);
}

function addValues(state: ParseState, row: OptionRow, spelling: string, raw: string): void {
  if (!row.list && row.type !== 'text' && raw.trim() === '')
    throw usage('MISSING_VALUE', `${spelling} needs a value that is not empty`);
  const added = row.list
    ? raw
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : [raw];
  const before = (state.values.get(row.name) as readonly string[] | undefined) ?? [];
  state.values.set(row.name, [...before, ...added]);
}

function numberOf(row: OptionRow, spelling: string, raw: string): number {
  // Not Number() alone: it takes blanks, "0x10", "1e9" and "Infinity".
  const pattern = row.type === 'integer' ? /^\d{1,15}$/ : /^(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;
  const value = pattern.test(raw) ? Number(raw) : Number.NaN;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = row;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw usage(
    'INVALID_VALUE',
    `${spelling} must be a${row.type === 'integer' ? ' whole' : ''} number ${range}, not ${quote(raw)}`,
  );
}

/**
 * True for what can't be the value of the option before it: `--`, a known option, or anything that looks like a long one, since
 * it is more likely that the value was forgotten.
 */
function isOption(arg: string): boolean {
  const head = OPTION_SHAPE.exec(arg)?.[1];
  return arg === '--' || (head !== undefined && (head.startsWith('--') || ROWS.has(head)));
}

function missingValue(row: OptionRow, spelling: string, found: string | undefined): string {
  const what = row.choices ? `one of ${row.choices.join(', ')}` : `<${row.valueName ?? 'value'}>`;
  if (found === undefined || found === '--') return `${spelling} needs a value: ${what}`;
  return `${spelling} needs a value: ${what} (${quote(found)} is read as an option; write ${spelling}=… for such a value)`;
}

/** `pi "--model sonnet"`, one argument for two: a host's bug that would otherwise be sent to the model as a prompt. */
function refuseGluedValue(arg: string): void {
  const head = /^(--[A-Za-z][\w-]*)\s/.exec(arg)?.[1];
  if (head === undefined || !ROWS.has(head)) return;
  throw usage(
    'INVALID_VALUE',
    `${head} and its value must be two arguments, not one: ${quote(arg)} (text after -- is always a prompt)`,
  );
}

function usage(code: CliErrorCode, message: string): UsageFailure {
  return new UsageFailure({ code: CLI_ERRORS[code], message });
}

/** A stranger's text fit for one line of a terminal: control characters written out, cut when long. */
function quote(text: string): string {
  const visible = text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return visible.length > 80 ? `${visible.slice(0, 79)}…` : visible === '' ? '""' : visible;
}
