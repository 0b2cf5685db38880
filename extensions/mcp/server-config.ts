import { Expander } from './expand.js';
import { createRedact, type Redact } from './secrets.js';

interface Common {
  name: string;
  /** The file that says so. */
  file: string;
  disabled: boolean;
  /** Whether a tool of this name is wanted. */
  wants: (tool: string) => boolean;
  startTimeoutMs: number;
  callTimeoutMs: number;
  sampling: 'never' | 'ask' | 'always';
  redact: Redact;
}
export interface StdioConfig extends Common {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string | undefined;
}
export interface HttpConfig extends Common {
  kind: 'http' | 'sse';
  url: URL;
  headers: Record<string, string>;
}
export type ServerConfig = StdioConfig | HttpConfig;

const START_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 600_000;

type Members = Record<string, unknown>;

/** Reads one server of `mcpServers`. Throws with a sentence that names the member, and never a value. */
export function toServerConfig(name: string, given: unknown, file: string, env: NodeJS.ProcessEnv): ServerConfig {
  const members = asObject(given, 'it');
  const expander = new Expander(env);
  const text = (key: string): string | undefined => {
    const value = members[key];
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') throw new Error(`"${key}" must be a text`);
    return expander.expand(value);
  };
  const texts = (key: string): Record<string, string> => {
    const entries = Object.entries(members[key] === undefined ? {} : asObject(members[key], `"${key}"`));
    return Object.fromEntries(entries.map(([entry, value]) => [entry, expander.expand(asText(value, `"${key}.${entry}"`))]));
  };
  // Of a server that is turned off nothing is looked into: its variables may be missing.
  const disabled = members.disabled === true;
  if (disabled) expander.expand = (value) => value;
  const command = text('command');
  const url = text('url');
  if ((command === undefined) === (url === undefined)) throw new Error('it needs "command" or "url", one of them');
  const headers = texts('headers');
  const serverEnv = texts('env');
  const args = toList(members.args, 'args')?.map((one) => expander.expand(one)) ?? [];
  const cwd = text('cwd');
  const common: Common = {
    name,
    file,
    disabled,
    wants: toFilter(toList(members.tools, 'tools')),
    startTimeoutMs: toMs(members, 'startTimeoutMs') ?? START_TIMEOUT_MS,
    callTimeoutMs: toMs(members, 'timeoutMs') ?? CALL_TIMEOUT_MS,
    sampling: toSampling(members.sampling),
    redact: createRedact(serverEnv, headers, expander.filled),
  };
  if (command !== undefined) return { ...common, kind: 'stdio', command, args, env: serverEnv, cwd };
  return { ...common, kind: members.type === 'sse' ? 'sse' : 'http', url: toUrl(url ?? '', disabled), headers };
}

/** What is shown of it: no arguments, no headers, nothing of an address but where it leads. */
export function describeServer(config: ServerConfig): string {
  if (config.kind === 'stdio') return config.redact(config.command);
  return config.redact(`${config.url.origin}${config.url.pathname}`);
}

function asObject(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  return value as Members;
}

function asText(value: unknown, what: string): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw new Error(`${what} must be a text`);
  return value;
}

function toList(value: unknown, what: string): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw new Error(`"${what}" must be a list of texts`);
  return value.map((one) => asText(one, `"${what}"`));
}

function toMs(members: Members, key: string): number | undefined {
  const value = members[key];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value > 0)) throw new Error(`"${key}" must be a number of milliseconds`);
  return value;
}

function toSampling(value: unknown): Common['sampling'] {
  if (value === undefined || value === false) return 'never';
  if (value === 'never' || value === 'ask' || value === 'always') return value;
  throw new Error('"sampling" must be "never", "ask" or "always"');
}

/** The message of the parser would hold the address, and with it perhaps a key. */
function toUrl(text: string, disabled: boolean): URL {
  if (disabled && !URL.canParse(text)) return new URL('http://disabled.invalid/');
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new Error('"url" must be an http or https address');
  return new URL(text);
}

/** `*` stands for anything; what begins with `!` is not wanted. */
function toFilter(patterns: readonly string[] | undefined): (tool: string) => boolean {
  if (patterns === undefined) return () => true;
  const toPattern = (text: string): RegExp =>
    new RegExp(
      `^${text
        .split('*')
        .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
        .join('.*')}$`,
    );
  const refused = patterns.filter((one) => one.startsWith('!')).map((one) => toPattern(one.slice(1)));
  const wanted = patterns.filter((one) => !one.startsWith('!')).map(toPattern);
  return (tool) => (wanted.length === 0 || wanted.some((one) => one.test(tool))) && !refused.some((one) => one.test(tool));
}
