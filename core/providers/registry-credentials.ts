import { CodedError } from '../base/coded-error.js';
import { addSecret } from '../base/secrets.js';
import type { Model } from '../protocol/model.js';
import type { AuthEntry, AuthStore } from './auth-store.js';
import { type Env, missingVariables, resolveEnvValue } from './env-value.js';
import { SECRET_HEADER } from './error-text.js';
import { configuredHeaders, type ProviderLayers } from './registry-compose.js';
import { REGISTRY_ERRORS } from './registry-errors.js';

export interface CredentialOptions {
  auth: AuthStore;
  env: Env;
  modelsFile: string;
  now: () => number;
  commandDeadlineMs?: number | undefined;
  /** Told of each login that is over, once for each expiry. */
  onExpired: (message: string, provider: string) => void;
}

export interface Credentials {
  apiKey?: string | undefined;
  headers: Record<string, string>;
}

type Source =
  | { kind: 'key'; key: string }
  | { kind: 'login'; access: string }
  | { kind: 'value'; value: string; what: string; env: Env; cached: boolean }
  | { kind: 'expired'; message: string }
  | { kind: 'none' };

/** Some servers want an Authorization header and look at nothing in it. */
const PLACEHOLDER_KEY = 'none';

/** Where keys come from: the flag, auth.json, the environment, models.json, in that order. Source: providers document, "Resolution Order". */
export class CredentialSource {
  readonly #options: CredentialOptions;
  readonly #flagKeys = new Map<string, string>();
  readonly #commandOutput = new Map<string, string>();
  readonly #toldExpired = new Set<string>();

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** The key of `--api-key`: for this process only. */
  setFlagKey(provider: string, key: string): void {
    this.#flagKeys.set(provider, key);
  }

  /** True when a request could be signed. Runs no command. */
  async has(layers: ProviderLayers): Promise<boolean> {
    const source = await this.#source(layers);
    if (source.kind === 'none') return isKeyless(layers);
    return source.kind !== 'expired';
  }

  /** Throws `PROVIDER_KEY_MISSING`, `PROVIDER_LOGIN_EXPIRED`, `PROVIDER_KEY_COMMAND_FAILED`, `PROVIDER_HEADER_UNRESOLVED`. */
  async of(layers: ProviderLayers, model: Model): Promise<Credentials> {
    const source = await this.#source(layers);
    const entry = await this.#options.auth.entry(layers.id);
    const env = scopedEnv(this.#options.env, entry);
    const headers: Record<string, string> = {};
    // Names are compared without case: of two that differ only in it, the later one counts.
    const put = (name: string, value: string): void => {
      for (const old of Object.keys(headers)) if (old.toLowerCase() === name.toLowerCase()) delete headers[old];
      headers[name] = value;
    };

    const key = await this.#key(layers, source);
    addSecret(key);
    const { row, registered, own } = layers;
    const bearer = own?.authHeader ?? registered?.authHeader ?? (row?.authHeader === true && model.api === 'anthropic-messages');
    const isClaudeLogin = source.kind === 'login' && model.api === 'anthropic-messages' && layers.id === 'anthropic';
    if (key !== undefined && (bearer || isClaudeLogin)) put('Authorization', `Bearer ${key}`);
    if (isClaudeLogin) put('anthropic-beta', 'oauth-2025-04-20');
    for (const [name, value] of Object.entries(model.headers ?? {})) put(name, value);
    for (const part of configuredHeaders(layers, model.id)) {
      for (const [name, value] of Object.entries(part)) put(name, await this.#header(layers.id, name, value, env));
    }
    return { apiKey: isClaudeLogin ? undefined : key, headers };
  }

  /** What to do for a provider without a key: the variable, the file, the command, and what works without. */
  explainMissing({ id, row, registered, own }: ProviderLayers): string {
    const wanted = [...(row?.keyVariables ?? [])];
    for (const value of [own?.apiKey, registered?.apiKey]) {
      if (value !== undefined) wanted.push(...missingVariables(value, this.#options.env));
    }
    const variables = [...new Set(wanted)];
    const ways = [
      ...(variables.length > 0 ? [`set ${variables.join(' or ')}`] : []),
      `run "pi auth set ${id}" (kept in ${this.#options.auth.file})`,
      ...(row || registered ? [] : [`give "apiKey" in ${this.#options.modelsFile}`]),
      'pass --api-key',
    ];
    const list = `${ways.slice(0, -1).join(', ')} or ${ways.at(-1)}`;
    return `No API key for provider "${id}": ${list}. "--provider offline" works without one.`;
  }

  async #key(layers: ProviderLayers, source: Source): Promise<string | undefined> {
    switch (source.kind) {
      case 'key':
        return source.key;
      case 'login':
        return source.access;
      case 'expired':
        throw new CodedError(REGISTRY_ERRORS.LOGIN_EXPIRED, source.message, { data: { provider: layers.id } });
      case 'value': {
        const known = source.cached ? this.#commandOutput.get(source.value) : undefined;
        if (known !== undefined) return known;
        const { what, env } = source;
        const deadlineMs = this.#options.commandDeadlineMs;
        const key = await resolveEnvValue(source.value, { env, what, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
        // Source: providers document: commands of auth.json once per process; models document: those of models.json each time.
        if (key !== undefined && source.cached && source.value.startsWith('!')) this.#commandOutput.set(source.value, key);
        if (key !== undefined) return key;
        break;
      }
      case 'none':
        if (isKeyless(layers)) return layers.registered?.keyless ? undefined : PLACEHOLDER_KEY;
    }
    throw new CodedError(REGISTRY_ERRORS.MISSING_KEY, this.explainMissing(layers), {
      data: { provider: layers.id, variables: layers.row?.keyVariables ?? [] },
    });
  }

  async #source({ id, row, registered, own }: ProviderLayers): Promise<Source> {
    const { auth, env, modelsFile, now } = this.#options;
    const flag = this.#flagKeys.get(id);
    if (flag !== undefined) return { kind: 'key', key: flag };
    const entry = await auth.entry(id);
    if (entry?.type === 'oauth') {
      return entry.expires > now()
        ? { kind: 'login', access: entry.access }
        : { kind: 'expired', message: this.#expired(id, entry.expires) };
    }
    const scoped = scopedEnv(env, entry);
    if (entry && missingVariables(entry.key, scoped).length === 0) {
      return { kind: 'value', value: entry.key, what: `key of "${id}" in ${auth.file}`, env: scoped, cached: true };
    }
    for (const variable of row?.keyVariables ?? []) {
      const key = scoped[variable];
      if (key) return { kind: 'key', key };
    }
    for (const [value, place] of [
      [own?.apiKey, ` in ${modelsFile}`],
      [registered?.apiKey, ''],
    ] as const) {
      if (value !== undefined && missingVariables(value, scoped).length === 0) {
        return { kind: 'value', value, what: `apiKey of provider "${id}"${place}`, env: scoped, cached: false };
      }
    }
    return { kind: 'none' };
  }

  #expired(provider: string, expires: number): string {
    const { auth, onExpired } = this.#options;
    const when = new Date(expires).toISOString();
    const message =
      `The login of "${provider}" in ${auth.file} expired ${when}, and this program does not renew logins: ` +
      `log in again with the program that made it, or run "pi auth set ${provider}" to use an API key instead.`;
    const mark = `${provider} ${expires}`;
    if (!this.#toldExpired.has(mark)) {
      this.#toldExpired.add(mark);
      onExpired(message, provider);
    }
    return message;
  }

  async #header(provider: string, name: string, value: string, env: Env): Promise<string> {
    const deadlineMs = this.#options.commandDeadlineMs;
    const what = `header "${name}" of provider "${provider}"`;
    const resolved = await resolveEnvValue(value, { env, what, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
    if (resolved !== undefined) {
      if (SECRET_HEADER.test(name)) addSecret(resolved.replace(/^(?:Bearer|Basic)\s+/i, ''));
      return resolved;
    }
    const missing = missingVariables(value, env);
    const message = `The ${what} needs ${missing.join(', ')}, which the environment does not have.`;
    throw new CodedError(REGISTRY_ERRORS.HEADER_UNRESOLVED, message, { data: { provider, name, variables: missing } });
  }
}

function isKeyless({ row, registered }: ProviderLayers): boolean {
  return registered?.keyless === true || row?.local === true;
}

function scopedEnv(env: Env, entry: AuthEntry | undefined): Env {
  return entry?.type === 'api_key' ? { ...env, ...entry.env } : env;
}
