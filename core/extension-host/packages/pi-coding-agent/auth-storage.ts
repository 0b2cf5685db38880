import { dirname, join } from 'node:path';
import { getEnvApiKey } from '../pi-ai/env-keys.js';
import { getAgentDir } from './host.js';
import { readStoredCredential, type StoredCredential } from './stored-credential.js';

/** Keys as extensions of before 0.84 ask for them: auth.json, and keys of this object's own. Newer ones use `ModelRuntime`. */
export class AuthStorage {
  readonly #path: string | undefined;
  readonly #own = new Map<string, string>();

  private constructor(path: string | undefined) {
    this.#path = path;
  }

  static create(authPath: string = join(getAgentDir(), 'auth.json')): AuthStorage {
    return new AuthStorage(authPath);
  }

  /** Reads no file. */
  static inMemory(): AuthStorage {
    return new AuthStorage(undefined);
  }

  get(provider: string): StoredCredential | undefined {
    return this.#path === undefined ? undefined : readStoredCredential(provider, this.#path);
  }

  has(provider: string): boolean {
    return this.get(provider) !== undefined;
  }

  hasAuth(provider: string): boolean {
    return this.#own.has(provider) || this.has(provider) || getEnvApiKey(provider) !== undefined;
  }

  /** Writes auth.json. */
  async set(provider: string, credential: { type: 'api_key'; key: string }): Promise<void> {
    if (this.#path === undefined) this.#own.set(provider, credential.key);
    else await (await this.#store(this.#path)).set(provider, credential.key);
  }

  async remove(provider: string): Promise<void> {
    this.#own.delete(provider);
    if (this.#path !== undefined) await (await this.#store(this.#path)).remove(provider);
  }

  /** For this object only; not stored. */
  setRuntimeApiKey(provider: string, apiKey: string): void {
    this.#own.set(provider, apiKey);
  }

  removeRuntimeApiKey(provider: string): void {
    this.#own.delete(provider);
  }

  async getApiKey(provider: string): Promise<string | undefined> {
    const stored = this.get(provider);
    const key = stored?.type === 'oauth' ? stored.access : stored?.key;
    return this.#own.get(provider) ?? key ?? getEnvApiKey(provider);
  }

  /** Each question reads the file: there is nothing to read again. */
  reload(): void {}

  async #store(path: string) {
    const { openAuthStore } = await import('../../../providers/auth-store.js');
    return openAuthStore({ agentDir: dirname(path), onDiagnostic: ({ message }) => console.error(message) });
  }
}
