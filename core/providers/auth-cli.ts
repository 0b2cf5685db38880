import path from 'node:path';
import { messageOf } from '../base/coded-error.js';
import { readSecret, type SecretInput } from './auth-prompt.js';
import { type AuthEntry, type AuthStore, openAuthStore } from './auth-store.js';
import { PROVIDER_ROWS, providerRow, UNSUPPORTED_PROVIDERS } from './catalogue-providers.js';
import { type Env, escapeEnvValue, missingVariables } from './env-value.js';
import { nearest } from './model-suggest.js';
import { readModelsJson } from './models-json.js';

export interface AuthCommandIo {
  agentDir: string;
  env: Env;
  stdin: SecretInput;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  now?: () => number;
}

const USAGE = `Usage: pi auth set <provider>      keep an API key; it is asked for without showing it, or read from stdin
       pi auth list               providers with a key or a login, and where it comes from
       pi auth remove <provider>  forget what is kept for a provider
`;
const NAME = /^[A-Za-z0-9][\w.@-]*$/;
const OK = 0;
const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;

/** Runs `pi auth …`; `args` without the word `auth`. Gives the exit code. No key is ever written to stdout or stderr. */
export async function runAuthCommand(args: readonly string[], io: AuthCommandIo): Promise<number> {
  const [action, provider, ...surplus] = args;
  if (action === 'help' || action === '--help' || action === '-h') {
    io.stdout(USAGE);
    return OK;
  }
  const wrongUse = (message: string): number => {
    io.stderr(`pi auth: ${message}\n${USAGE}`);
    return WRONG_USE;
  };
  const said = new Set<string>();
  const complain = (message: string): void => {
    if (!said.has(message)) io.stderr(`pi auth: ${message}\n`);
    said.add(message);
  };
  const store = openAuthStore({ agentDir: io.agentDir, onDiagnostic: ({ message }) => complain(message) });
  try {
    if (action === 'list' && provider === undefined) return await list(store, io);
    if (action === 'list') return wrongUse('list takes no argument');
    if (action !== 'set' && action !== 'remove') {
      return wrongUse(action === undefined ? 'say what to do' : `"${action}" is none of set, list, remove`);
    }
    if (provider === undefined) return wrongUse(`${action} needs the name of a provider`);
    // A key as an argument would stand in the shell's history and in every process list.
    if (surplus.length > 0) return wrongUse(`${action} takes one argument; the key is typed at the prompt or piped in`);
    if (!NAME.test(provider)) return wrongUse('that is not a name a provider can have');
    return action === 'set' ? await set(store, provider, io) : await remove(store, provider, io);
  } catch (error) {
    complain(messageOf(error));
    return FAILED;
  }
}

async function set(store: AuthStore, provider: string, io: AuthCommandIo): Promise<number> {
  const note = await unknownProviderNote(provider, io);
  if (note) io.stderr(`pi auth: ${note}\n`);
  const secret = await readSecret(io.stdin, () =>
    io.stderr(`API key for ${providerRow(provider)?.name ?? provider} (not shown): `),
  );
  if (io.stdin.isTTY) io.stderr('\n');
  if (secret.kind === 'cancelled') {
    io.stderr('pi auth: nothing was changed\n');
    return INTERRUPTED;
  }
  const key = secret.kind === 'text' ? secret.text.trim() : '';
  const problem = secret.kind === 'too-long' ? 'is too long' : keyProblem(key);
  if (problem) {
    io.stderr(`pi auth: the key ${problem}; nothing was changed\n`);
    return FAILED;
  }
  const before = await store.entry(provider);
  await store.set(provider, escapeEnvValue(key));
  const replaced = before === undefined ? '' : before.type === 'oauth' ? ' (replaces the login)' : ' (replaces the old one)';
  io.stdout(`API key for ${provider} kept in ${store.file}${replaced}\n`);
  return OK;
}

function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (/[\r\n]/.test(key)) return 'is more than one line';
  // It is sent in a header, which takes printable ASCII only.
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'holds blanks or characters no key has';
}

async function remove(store: AuthStore, provider: string, io: AuthCommandIo): Promise<number> {
  if (!(await store.remove(provider))) {
    const names = [...(await store.entries()).keys()];
    const [meant] = nearest(provider, names, 1);
    io.stderr(`pi auth: nothing is kept for ${provider}${meant ? `; did you mean ${meant}?` : ''}\n`);
    return FAILED;
  }
  io.stdout(`Removed ${provider} from ${store.file}\n`);
  const variable = providerRow(provider)?.keyVariables.find((name) => io.env[name]);
  if (variable) io.stderr(`pi auth: ${provider} still has a key in the environment (${variable})\n`);
  return OK;
}

/** A line for each provider that has something: the source that counts first, the others after it. */
async function list(store: AuthStore, io: AuthCommandIo): Promise<number> {
  const sources = new Map<string, string[]>();
  const add = (provider: string, source: string): void => {
    sources.set(provider, [...(sources.get(provider) ?? []), source]);
  };
  for (const [provider, entry] of await store.entries()) add(provider, entrySource(entry, io));
  for (const row of PROVIDER_ROWS) {
    const variable = row.keyVariables.find((name) => io.env[name]);
    if (variable) add(row.id, `environment (${variable})`);
  }
  const own = await readModelsJson(path.join(io.agentDir, 'models.json'));
  for (const [provider, { apiKey }] of own.providers) {
    if (apiKey !== undefined && missingVariables(apiKey, io.env).length === 0) add(provider, 'models.json');
  }
  if (sources.size === 0) {
    io.stderr('pi auth: no provider has an API key; "pi auth set <provider>" keeps one\n');
    return OK;
  }
  const width = Math.max(...[...sources.keys()].map((name) => name.length));
  for (const [provider, [first, ...others]] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    io.stdout(`${provider.padEnd(width)}  ${first}${others.length > 0 ? `, before ${others.join(', ')}` : ''}\n`);
  }
  return OK;
}

function entrySource(entry: AuthEntry, { now = Date.now, env }: AuthCommandIo): string {
  if (entry.type === 'oauth') {
    const when = new Date(entry.expires).toISOString();
    return entry.expires > now() ? `auth.json (login, valid until ${when})` : `auth.json (login, expired ${when})`;
  }
  const missing = missingVariables(entry.key, { ...env, ...entry.env });
  return missing.length > 0 ? `auth.json (needs ${missing.join(', ')}, not set)` : 'auth.json (API key)';
}

async function unknownProviderNote(provider: string, io: AuthCommandIo): Promise<string | undefined> {
  if (providerRow(provider)) return undefined;
  const own = await readModelsJson(path.join(io.agentDir, 'models.json'));
  if (own.providers.has(provider)) return undefined;
  const service = UNSUPPORTED_PROVIDERS.get(provider);
  if (service) return `${service} cannot be reached by this program; the key is kept, for other programs that read the file`;
  const [meant] = nearest(provider, [...PROVIDER_ROWS.map(({ id }) => id), ...own.providers.keys()], 1);
  const hint = meant ? ` Did you mean ${meant}?` : '';
  return `${provider} is not a provider we know yet; the key is kept for when models.json or an extension defines it.${hint}`;
}
