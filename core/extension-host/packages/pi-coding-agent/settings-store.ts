import { readFileSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCoded, messageOf } from '../../../base/coded-error.js';
import { replaceFile } from '../../../base/replace-file.js';
import { setInJson } from '../../../resources/json-edit.js';
import { loadSettings, settingsPath } from '../../../resources/settings.js';
import { CONFIG_DIR_NAME } from './host.js';
import { mergeSettings, type SettingValues, settingAt, withSetting } from './settings-values.js';

export type SettingsScope = 'global' | 'project';

export interface SettingsError {
  scope: SettingsScope;
  error: Error;
}

export interface SettingsPlace {
  cwd: string;
  agentDir: string;
}

/**
 * The settings of both files, read at once and written later: a change counts from its call on, and reaches its file in the order of the
 * changes. What can't be read or written is kept for `drainErrors`. Without a place nothing is read or written.
 */
export class SettingsStore {
  readonly #place: SettingsPlace | undefined;
  #trusted: boolean;
  #global: SettingValues = {};
  #project: SettingValues = {};
  #overrides: SettingValues = {};
  #merged: SettingValues = {};
  #errors: SettingsError[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(place: SettingsPlace | undefined, initial: SettingValues, trusted: boolean) {
    this.#place = place;
    this.#trusted = trusted;
    this.#global = initial;
    this.read();
  }

  get trusted(): boolean {
    return this.#trusted;
  }

  set trusted(trusted: boolean) {
    this.#trusted = trusted;
    this.read();
  }

  get global(): SettingValues {
    return structuredClone(this.#global);
  }

  get project(): SettingValues {
    return structuredClone(this.#project);
  }

  /** Reads both files anew. */
  read(): void {
    const place = this.#place;
    if (place) {
      const { global, project, diagnostics } = loadSettings({ ...place, projectTrusted: this.#trusted });
      this.#global = mergeSettings(global.raw);
      this.#project = mergeSettings(project?.raw ?? {});
      for (const { severity, message, path } of diagnostics) {
        if (severity !== 'error') continue;
        this.#errors.push({ scope: path === global.path ? 'global' : 'project', error: new Error(message) });
      }
    }
    this.#merge();
  }

  value(path: string): unknown {
    return settingAt(this.#merged, path);
  }

  override(values: SettingValues): void {
    this.#overrides = mergeSettings(this.#overrides, values);
    this.#merge();
  }

  change(scope: SettingsScope, path: string, value: unknown): void {
    if (scope === 'global') this.#global = withSetting(this.#global, path, value);
    else this.#project = withSetting(this.#project, path, value);
    this.#merge();
    const place = this.#place;
    if (!place) return;
    const file = settingsPath(scope === 'global' ? place.agentDir : join(place.cwd, CONFIG_DIR_NAME));
    this.#writing = this.#writing
      .then(() => writeSetting(file, path, value))
      .catch((error: unknown) => {
        const message = `"${path}" was not saved in ${file}: ${messageOf(error)}`;
        this.#errors.push({ scope, error: new Error(message, { cause: error }) });
      });
  }

  /** Resolves when every change so far is in its file, or failed to get there. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  drainErrors(): SettingsError[] {
    const errors = this.#errors;
    this.#errors = [];
    return errors;
  }

  #merge(): void {
    this.#merged = mergeSettings(this.#global, this.#project, this.#overrides);
  }
}

/** Sets or takes away one setting in the file as it is now; the rest of it stays as it was written. */
async function writeSetting(file: string, path: string, value: unknown): Promise<void> {
  // Settings are often links into a repository of dot files: write there, and keep the link.
  const target = await realpath(file).catch(() => file);
  const before = readIfThere(target);
  const after = value === undefined ? without(before, path) : setInJson(before, path.split('.'), value);
  if (after === undefined) throw new Error('something on the way to it is no object there');
  if (after === before) return;
  await mkdir(dirname(target), { recursive: true });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  );
  await replaceFile(target, mode, (handle) => handle.writeFile(after));
}

function without(text: string, path: string): string {
  if (text.trim() === '') return text;
  const value: unknown = JSON.parse(text);
  const values = value as SettingValues; // settingAt looks before it takes
  return settingAt(values, path) === undefined ? text : `${JSON.stringify(withSetting(values, path, undefined), null, 2)}\n`;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return '';
    throw error;
  }
}
