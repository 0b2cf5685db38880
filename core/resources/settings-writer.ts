import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import { replaceFile } from '../base/replace-file.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { decodeText } from './decode-text.js';
import { setInJson } from './json-edit.js';

/** Written, or left alone for the reason given. */
export type SettingWritten = { readonly ok: true } | { readonly ok: false; readonly diagnostic: Diagnostic };

export interface SettingsWriter {
  /**
   * Sets one setting, `compaction.enabled` style or as a list of names, in the file as it is on disk now, and resolves when it is there. Everything else
   * in the file stays as the user wrote it. Never rejects: a file that is not JSON is left alone, and the result says so.
   */
  update(
    key: string | readonly string[],
    value: string | number | boolean | readonly unknown[] | Readonly<Record<string, unknown>>,
  ): Promise<SettingWritten>;
  /** Resolves when no update is under way. */
  idle(): Promise<void>;
}

/** Opens `file` for updates, one at a time. The file and its directory need not exist. Holds nothing open. */
export function createSettingsWriter(file: string): SettingsWriter {
  let queue: Promise<unknown> = Promise.resolve();
  return {
    update(key, value) {
      const done = queue.then(() => updateFile(file, key, value));
      queue = done;
      return done;
    },
    async idle() {
      await queue;
    },
  };
}

async function updateFile(file: string, name: string | readonly string[], value: unknown): Promise<SettingWritten> {
  const path = typeof name === 'string' ? name.split('.') : name;
  const key = path.join('.');
  const refuse = (why: string): SettingWritten => ({
    ok: false,
    diagnostic: { kind: 'settings', severity: 'warning', message: `"${key}" was not saved in ${file}: ${why}`, path: file },
  });
  try {
    // Settings are often links into a repository of dot files: write there, and keep the link.
    const target = await realpath(file).catch(() => file);
    const before = await readIfThere(target);
    const bom = before?.[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf ? '\uFEFF' : '';
    const text = setInJson(before ? decodeText(before) : '', path, value);
    if (text === undefined) return refuse(`something in "${key}" is not an object there`);
    await replaceText(target, bom + text);
    return { ok: true };
  } catch (error) {
    return refuse(
      isCoded(error, 'JSON_INVALID')
        ? `the file is not valid JSON (line ${error.data?.line}); correct it first`
        : messageOf(error),
    );
  }
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Keeps the mode the file had. */
async function replaceText(target: string, text: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await replaceFile(target, mode, (handle) => handle.writeFile(text));
}
