import { isThinkingLevel } from '../../../providers/thinking.js';

export interface ParsedArgs {
  messages: string[];
  fileArgs: string[];
  /** Flags of extensions: a value, or true without one. */
  unknownFlags: Map<string, string | boolean>;
  diagnostics: { type: 'warning' | 'error'; message: string }[];
  [option: string]: unknown;
}

type Kind = 'text' | 'texts' | 'list' | { always: boolean };

/** Options of the command line and how they appear in the result. Source: usage document; names as observed, 0.84.0. */
const OPTIONS: readonly (readonly [names: string, key: string, kind: Kind])[] = [
  ['--provider', 'provider', 'text'],
  ['--model', 'model', 'text'],
  ['--api-key', 'apiKey', 'text'],
  ['--thinking', 'thinking', 'text'],
  ['--models', 'models', 'list'],
  ['--system-prompt', 'systemPrompt', 'text'],
  ['--append-system-prompt', 'appendSystemPrompt', 'texts'],
  ['--mode', 'mode', 'text'],
  ['--session', 'session', 'text'],
  ['--session-id', 'sessionId', 'text'],
  ['--fork', 'fork', 'text'],
  ['--session-dir', 'sessionDir', 'text'],
  ['--export', 'export', 'text'],
  ['--tui-mode', 'tuiMode', 'text'],
  ['--name -n', 'name', 'text'],
  ['--tools -t', 'tools', 'list'],
  ['--exclude-tools -xt', 'excludeTools', 'list'],
  ['--extension -e', 'extensions', 'texts'],
  ['--skill', 'skills', 'texts'],
  ['--prompt-template', 'promptTemplates', 'texts'],
  ['--theme', 'themes', 'texts'],
  ['--help -h', 'help', { always: true }],
  ['--version -v', 'version', { always: true }],
  ['--continue -c', 'continue', { always: true }],
  ['--resume -r', 'resume', { always: true }],
  ['--no-session', 'noSession', { always: true }],
  ['--no-tools -nt', 'noTools', { always: true }],
  ['--no-builtin-tools -nbt', 'noBuiltinTools', { always: true }],
  ['--print -p', 'print', { always: true }],
  ['--no-extensions -ne', 'noExtensions', { always: true }],
  ['--no-skills -ns', 'noSkills', { always: true }],
  ['--no-prompt-templates -np', 'noPromptTemplates', { always: true }],
  ['--no-themes', 'noThemes', { always: true }],
  ['--no-context-files -nc', 'noContextFiles', { always: true }],
  ['--verbose', 'verbose', { always: true }],
  ['--offline', 'offline', { always: true }],
  ['--approve -a', 'projectTrustOverride', { always: true }],
  ['--no-approve -na', 'projectTrustOverride', { always: false }],
];

/** Reads a command line as the program itself does, without doing anything about it. */
export function parseArgs(args: readonly string[]): ParsedArgs {
  const result: ParsedArgs = { messages: [], fileArgs: [], unknownFlags: new Map(), diagnostics: [] };
  const named = new Map(OPTIONS.flatMap(([names, key, kind]) => names.split(' ').map((name) => [name, { key, kind }] as const)));
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const option = named.get(arg);
    if (option && typeof option.kind === 'object') result[option.key] = option.kind.always;
    else if (option && rest.length > 0) take(result, option.key, option.kind, rest.shift() ?? '');
    else if (arg === '--list-models') result.listModels = isValue(rest[0]) ? rest.shift() : true;
    else if (arg.startsWith('--')) takeUnknown(result, arg.slice(2), rest);
    else if (arg.startsWith('@')) result.fileArgs.push(arg.slice(1));
    else if (arg.startsWith('-') && arg !== '-') result.diagnostics.push({ type: 'error', message: `Unknown option: ${arg}` });
    else result.messages.push(arg);
  }
  return result;
}

function take(result: ParsedArgs, key: string, kind: Kind, value: string): void {
  if (key === 'thinking' && !isThinkingLevel(value)) {
    const message = `Invalid thinking level "${value}". Valid values: off, minimal, low, medium, high, xhigh, max`;
    result.diagnostics.push({ type: 'warning', message });
  } else if (key === 'tuiMode' && value !== 'regular' && value !== 'fullscreen') {
    result.diagnostics.push({ type: 'error', message: `Invalid TUI mode "${value}". Valid values: regular, fullscreen` });
  } else if (kind === 'texts') {
    const earlier = result[key];
    result[key] = [...(Array.isArray(earlier) ? earlier : []), value];
  } else if (kind === 'list') {
    result[key] = value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  } else result[key] = value;
}

function takeUnknown(result: ParsedArgs, flag: string, rest: string[]): void {
  const equals = flag.indexOf('=');
  if (equals >= 0) result.unknownFlags.set(flag.slice(0, equals), flag.slice(equals + 1));
  else result.unknownFlags.set(flag, isValue(rest[0]) ? (rest.shift() ?? '') : true);
}

const isValue = (arg: string | undefined): boolean => arg !== undefined && !arg.startsWith('-') && !arg.startsWith('@');
