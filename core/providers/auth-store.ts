import { statSync } from 'node:fs';
import { chmod, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import { replaceFile } from '../base/replace-file.js';
import { REGISTRY_ERRORS } from './registry-errors.js';
import type { RegistryDiagnostic } from './registry-types.js';

/** What auth.json holds for one provider. Source: providers document, "Auth File"; custom-provider document, "OAuthCredentials". */
export type AuthEntry =
  /** `key` is read like a value of models.json; `env` comes before the process's variables while resolving this provider. */
  | { type: 'api_key'; key: string; env: Readonly<Record<string, string>> }
  /** A login the existing program made; `expires` in milliseconds since 1970. */
  | { type: 'oauth'; access: string; expires: number };

export interface AuthStoreOptions {
  agentDir: string;
  onDiagnostic: (diagnostic: RegistryDiagnostic) => void;
}

export interface AuthStore {
  readonly file: string;
  /** The entry of a provider, as the file has it now; undefined when it has none we can use. Never throws: problems are diagnostics. */
  entry(provider: string): Promise<AuthEntry | undefined>;
  /** Every provider with a usable entry, in the order of the file. */
  entries(): Promise<ReadonlyMap<string, AuthEntry>>;
  /** Stores a key; `key` is in the notation of the file (see `escapeEnvValue`). Throws `AUTH_FILE_INVALID`, `AUTH_FILE_FAILED`. */
  set(provider: string, key: string): Promise<void>;
  /** False when there was no entry. Throws like `set`. */
  remove(provider: string): Promise<boolean>;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Opens `<agentDir>/auth.json`, which need not exist. The file is read again when it changed. */
export function openAuthStore({ agentDir, onDiagnostic }: AuthStoreOptions): AuthStore {
  const file = path.join(agentDir, 'auth.json');
  let stamp: string | undefined;
  let entries: ReadonlyMap<string, AuthEntry> = new Map();

  const report = (severity: 'error' | 'warning', message: string): void =>
    onDiagnostic({ kind: 'auth', severity, message: `${file}: ${message}`, path: file });

  async function current(): Promise<ReadonlyMap<string, AuthEntry>> {
    const now = stampOf(file, report);
    if (now !== stamp) {
      stamp = now;
      entries = now === undefined ? new Map() : await load();
    }
    return entries;
  }

  async function load(): Promise<ReadonlyMap<string, AuthEntry>> {
    try {
      await narrow(file, report);
      return toEntries(await readObject(file), report);
    } catch (error) {
      if (isCoded(error)) onDiagnostic({ kind: 'auth', severity: 'error', message: error.message, path: file });
      else report('error', `cannot be read (${messageOf(error)})`);
      return new Map();
    }
  }

  async function change(edit: (content: Record<string, unknown>) => boolean): Promise<boolean> {
    const content = await readObject(file);
    const changed = edit(content);
    if (changed) await write(file, `${JSON.stringify(content, null, 2)}\n`);
    stamp = undefined;
    return changed;
  }

  return {
    file,
    entry: async (provider) => (await current()).get(provider),
    entries: current,
    set: async (provider, key) => {
      await change((content) => {
        const old = content[provider];
        // Settings of the provider that stand beside its key stay.
        const kept = isRecord(old) && old.type === 'api_key' ? old : {};
        content[provider] = { ...kept, type: 'api_key', key };
        return true;
      });
    },
    remove: (provider) => change((content) => Object.hasOwn(content, provider) && delete content[provider]),
  };
}

/**
 * Changes whenever the file does; undefined when there is none. Synchronous: it is asked for each prompt, and a trip to the thread
 * pool takes longer than all the rest that is done before a request.
 */
function stampOf(file: string, report: (severity: 'error', message: string) => void): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch (error) {
    report('error', `cannot be read (${messageOf(error)})`);
    return undefined;
  }
}

/** Keys are for their owner only: takes the rights of others away, and says so. */
async function narrow(file: string, report: (severity: 'warning', message: string) => void): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & OTHERS) === 0) return;
  const was = (mode & 0o777).toString(8).padStart(4, '0');
  try {
    await chmod(file, PRIVATE_FILE);
    report('warning', `other users could read it (mode ${was}); its mode is now 0600`);
  } catch (error) {
    report('warning', `other users can read it (mode ${was}) and that cannot be changed (${messageOf(error)})`);
  }
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CodedError(REGISTRY_ERRORS.AUTH_FILE_FAILED, `cannot be read (${messageOf(error)})`, {
      cause: error,
      data: { file },
    });
  }
  if (text.trim() === '') return {};
  const bad = (): CodedError =>
    new CodedError(REGISTRY_ERRORS.AUTH_FILE_INVALID, `${file}: is not a JSON object; correct it or move it away`, {
      data: { file },
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which holds keys.
    throw bad();
  }
  if (!isRecord(value)) throw bad();
  return value;
}

function toEntries(
  content: Record<string, unknown>,
  report: (severity: 'warning', message: string) => void,
): ReadonlyMap<string, AuthEntry> {
  const entries = new Map<string, AuthEntry>();
  for (const [provider, value] of Object.entries(content)) {
    const entry = toEntry(value);
    if (entry) entries.set(provider, entry);
    else report('warning', `the entry "${provider}" is neither an API key nor a login; it is ignored`);
  }
  return entries;
}

function toEntry(value: unknown): AuthEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { type, key, env, access, expires } = value;
  if (type === 'api_key' && typeof key === 'string' && key !== '') return { type, key, env: textsOf(env) };
  if (type === 'oauth' && typeof access === 'string' && typeof expires === 'number') return { type, access, expires };
  return undefined;
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** Written aside and renamed, so that a reader and a crash see the old file or the new one. A link is followed, not replaced. */
async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    const target = await realpath(file).catch(() => file);
    await replaceFile(target, PRIVATE_FILE, (handle) => handle.writeFile(text));
  } catch (error) {
    const message = `${file}: cannot be written (${messageOf(error)})`;
    throw new CodedError(REGISTRY_ERRORS.AUTH_FILE_FAILED, message, { cause: error, data: { file } });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
