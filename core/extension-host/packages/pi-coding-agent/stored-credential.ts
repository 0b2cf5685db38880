import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCoded } from '../../../base/coded-error.js';
import { getAgentDir } from './host.js';

/** As auth.json has it; values are in that file's notation. */
export type StoredCredential =
  | { type: 'api_key'; key: string }
  | { type: 'oauth'; access: string; refresh: string; expires: number };

/** The entry of a provider in auth.json; undefined without one, or for a file that can't be read. */
export function readStoredCredential(
  provider: string,
  authPath: string = join(getAgentDir(), 'auth.json'),
): StoredCredential | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(authPath, 'utf8'));
  } catch (error) {
    if (isCoded(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, provider)) return undefined;
  const entry: unknown = Reflect.get(content, provider);
  if (typeof entry !== 'object' || entry === null || !('type' in entry)) return undefined;
  return entry.type === 'api_key' || entry.type === 'oauth' ? ({ ...entry } as StoredCredential) : undefined; // the file's own words
}
