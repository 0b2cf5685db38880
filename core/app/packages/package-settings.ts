import path from 'node:path';
import { CodedError } from '../../base/coded-error.js';
import { type PackageSource, parsePackageSource } from '../../resources/packages/package-source.js';
import type { PackageSetting } from '../../resources/setting-table.js';
import type { SettingsFile } from '../../resources/settings.js';
import { createSettingsWriter } from '../../resources/settings-writer.js';
import { APP_ERRORS } from '../errors.js';

/** The entries of a settings file as they are written there, valid or not. */
export function rawPackages(file: SettingsFile): readonly unknown[] {
  const { packages } = file.raw;
  if (packages === undefined || packages === null) return [];
  if (Array.isArray(packages)) return packages;
  const message = `"packages" in ${file.path} is no list; correct it first`;
  throw new CodedError(APP_ERRORS.SETTINGS_NOT_WRITTEN, message, { data: { file: file.path } });
}

/** Whether an entry of a settings file names this package, whatever version it asks for. */
export function namesPackage(entry: unknown, source: PackageSource, file: SettingsFile, home: string): boolean {
  const text = typeof entry === 'string' ? entry : sourceTextOf(entry);
  if (text === undefined) return false;
  try {
    return parsePackageSource(text, file.baseDir, home).identity === source.identity;
  } catch {
    // Told where the settings are read; it is not the one that is looked for.
    return false;
  }
}

/** The list with the package added, or its entry's source replaced: lists of what to load of it stay. */
export function withPackage(file: SettingsFile, source: PackageSource, home: string): unknown[] {
  const text = settingsText(source, file);
  const entries = rawPackages(file);
  if (!entries.some((entry) => namesPackage(entry, source, file, home))) return [...entries, text];
  return entries.map((entry) => {
    if (!namesPackage(entry, source, file, home)) return entry;
    return typeof entry === 'string' ? text : { ...(entry as object), source: text };
  });
}

/** How a settings file names a source: a path counts from the file's folder, and stays below `~` when it was written so. */
export function settingsText(source: PackageSource, file: SettingsFile): string {
  if (source.kind !== 'path') return source.text;
  if (/^~(?:[/\\]|$)/.test(source.text)) return source.text;
  const relative = path.relative(file.baseDir, source.path);
  // `x` alone would be read as a path too, but a person would take it for a name.
  const text = /^\.\.?(?:[/\\]|$)/.test(relative) || path.isAbsolute(relative) ? relative : `./${relative}`;
  return text.split(path.sep).join('/');
}

/** Writes one setting. Throws SETTINGS_NOT_WRITTEN. */
export async function writeSetting(
  file: SettingsFile,
  key: 'packages' | 'builtin' | 'extensions' | 'skills' | 'prompts' | 'themes',
  value: readonly unknown[],
): Promise<void> {
  const written = await createSettingsWriter(file.path).update(key, value);
  if (written.ok) return;
  throw new CodedError(APP_ERRORS.SETTINGS_NOT_WRITTEN, written.diagnostic.message, { data: { file: file.path } });
}

/** Of an entry in either form. */
export function sourceTextOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null) return undefined;
  const text: unknown = Reflect.get(entry, 'source');
  return typeof text === 'string' ? text : undefined;
}

/** An entry as an object that can take lists. */
export function asObject(entry: PackageSetting): Exclude<PackageSetting, string> {
  return typeof entry === 'string' ? { source: entry } : entry;
}
