import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import type { Model } from '../../../protocol/model.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import { getAgentDir } from './host.js';
import type { ExtensionProviderConfig } from './provider-config.js';

export interface ModelRuntimeOptions {
  /** Of an `auth.json`. */
  authPath?: string;
  /** Of a `models.json`, in the same folder. */
  modelsPath?: string;
  /** Keeps this runtime away from stored keys: only the environment and `setRuntimeApiKey` count. */
  credentials?: unknown;
  signal?: AbortSignal;
}

/** The folder of files of its own; undefined when the agent's count. */
export function folderOf({ authPath, modelsPath, credentials }: ModelRuntimeOptions): string | undefined {
  if (credentials !== undefined) return join(tmpdir(), 'pi-no-stored-credentials');
  const [auth, models] = [authPath, modelsPath].map((path) => (path === undefined ? undefined : resolve(path)));
  const folder = auth ? dirname(auth) : models ? dirname(models) : undefined;
  if (folder === undefined || folder === resolve(getAgentDir())) return undefined;
  const isUsual = (!auth || basename(auth) === 'auth.json') && (!models || models === join(folder, 'models.json'));
  if (isUsual) return folder;
  const message = `authPath and modelsPath must be auth.json and models.json of one folder, not ${authPath} and ${modelsPath}`;
  throw new CodedError(CODING_AGENT_ERRORS.BAD_ARGUMENT, message, { data: { authPath, modelsPath } });
}

/** True when the agent has what a request needs. */
export async function mayBeUsed(credentials: Promise<unknown>): Promise<boolean> {
  try {
    await credentials;
    return true;
  } catch (error) {
    // Says which key is missing; here only whether one is counts.
    return !messageOf(error);
  }
}

/** The models of a registered provider, with what it left out. */
export function modelsOf(provider: string, { api, baseUrl = '', models = [] }: ExtensionProviderConfig): Model[] {
  return models.map((model) => ({
    name: model.id,
    reasoning: false,
    input: ['text'],
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...model,
    api: model.api ?? api ?? '',
    baseUrl: model.baseUrl ?? baseUrl,
    provider,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...model.cost },
  }));
}
