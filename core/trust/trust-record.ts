import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, messageOf } from '../base/coded-error.js';
import { replaceFile } from '../base/replace-file.js';
import { TRUST_ERRORS } from './errors.js';

/** The nearest decision to a folder: about itself or about one above it. */
export interface TrustDecision {
  folder: string;
  trusted: boolean;
}

/**
 * `<agentDir>/trust.json`: an object from real path to true, false or null (no decision), nothing else. The other program that writes
 * it refuses to start when it finds any other value, so what we add, such as pins, is kept in files of its own. Source: FACTS "Trust".
 */
export function trustFile(agentDir: string): string {
  return path.join(agentDir, 'trust.json');
}

/** All that is decided, by folder. A missing file decides nothing. Throws TRUST_FILE_INVALID. */
export function readTrust(agentDir: string): Map<string, boolean> {
  const decisions = new Map<string, boolean>();
  for (const [folder, value] of Object.entries(readJsonObject(trustFile(agentDir))))
    if (typeof value === 'boolean') decisions.set(folder, value);
  return decisions;
}

/** `folder` must be a real path. */
export function nearestDecision(decisions: ReadonlyMap<string, boolean>, folder: string): TrustDecision | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const trusted = decisions.get(at);
    if (trusted !== undefined) return { folder: at, trusted };
    if (at === path.dirname(at)) return undefined;
  }
}

/** Writes one decision; `undefined` takes it back. The rest of the file stays as it is. Throws TRUST_FILE_INVALID and errors of the disk. */
export async function writeTrust(agentDir: string, folder: string, trusted: boolean | undefined): Promise<void> {
  await setInObject(trustFile(agentDir), folder, trusted);
}

/** Sets, or with `undefined` removes, one member of a JSON object in a file that is readable by its owner alone. */
export async function setInObject(file: string, key: string, value: unknown): Promise<void> {
  const members = new Map(Object.entries(readJsonObject(file)));
  if (value === undefined) {
    if (!members.delete(key)) return;
  } else members.set(key, value);
  await mkdir(path.dirname(file), { recursive: true });
  const text = `${JSON.stringify(Object.fromEntries(members), null, 2)}\n`;
  await replaceFile(file, 0o600, (handle) => handle.writeFile(text));
}

/** Throws TRUST_FILE_INVALID, also for a file that can't be read: what it says must not be taken for "nothing". */
export function readJsonObject(file: string): Record<string, unknown> {
  if (!existsSync(file)) return {};
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    throw new CodedError(TRUST_ERRORS.TRUST_FILE_INVALID, `${file} can't be read: ${messageOf(error)}`, { cause: error });
  }
  // Checked to be an object just here; its members stay unknown.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CodedError(TRUST_ERRORS.TRUST_FILE_INVALID, `${file} must hold a JSON object`);
}
