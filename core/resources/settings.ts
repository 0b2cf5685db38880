import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { decodeText } from './decode-text.js';
import { type JsonNode, lineAt, memberOf, parseJsonTree } from './json-tree.js';
import { isGroup, isPlainObject, type SettingMembers } from './setting-kinds.js';
import { type FileSettings, SETTINGS, type Settings } from './setting-table.js';

export interface LoadedSettings {
  /** Both files merged, project over global, over the defaults. */
  readonly settings: Settings;
  /** What each file says by itself: resource paths are relative to their own file's directory. */
  readonly global: SettingsFile;
  /** Missing when the project is not trusted, or its directory is the global one. */
  readonly project?: SettingsFile;
  /** Everything that was ignored, and why. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface SettingsFile {
  /** The file, which need not exist. */
  readonly path: string;
  /** What the paths in it are relative to. */
  readonly baseDir: string;
  readonly known: FileSettings;
  /** Everything in the file, unknown keys included. Objects may have no prototype. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Line of one item of a list, such as the second of `skills`; undefined when there is none. */
  readonly lineOf: (key: string, index: number) => number | undefined;
}

/**
 * Reads the settings. A missing file is an empty one; a file that is not JSON counts as empty and is reported; a value of the
 * wrong type is reported and the next source down has its say. Synchronous, because nothing can start before it and two small
 * files are read faster than they are waited for. Never throws.
 * Source: "Settings", Project Overrides.
 */
export function loadSettings(where: { agentDir: string; cwd: string; projectTrusted: boolean }): LoadedSettings {
  const diagnostics: Diagnostic[] = [];
  const global = readSettingsFile(where.agentDir, false, diagnostics);
  const projectDir = join(where.cwd, '.pi');
  // PI_CODING_AGENT_DIR may point at the project's own directory: one file, read once, as the global one.
  const project =
    where.projectTrusted && projectDir !== where.agentDir ? readSettingsFile(projectDir, true, diagnostics) : undefined;
  const merged = merge(SETTINGS, project?.known, global.known) as Settings;
  // A longer silence that was allowed under the older name stays allowed.
  const idleMs = project?.known.streamIdleTimeoutMs ?? global.known.streamIdleTimeoutMs ?? merged.httpIdleTimeoutMs;
  const settings = idleMs === undefined ? merged : { ...merged, streamIdleTimeoutMs: idleMs };
  return { settings, global, ...(project && { project }), diagnostics };
}

/** Path of the settings file of an agent directory or of a project's `.pi`. */
export function settingsPath(dir: string): string {
  return join(dir, 'settings.json');
}

function readSettingsFile(baseDir: string, isProject: boolean, diagnostics: Diagnostic[]): SettingsFile {
  const path = settingsPath(baseDir);
  const report = (severity: Diagnostic['severity'], message: string, line?: number): void => {
    diagnostics.push({ kind: 'settings', severity, message, path, ...(line !== undefined && { line }) });
  };
  const empty: SettingsFile = { path, baseDir, known: {}, raw: {}, lineOf: () => undefined };
  let text: string;
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return empty;
    if (!stat.isFile()) {
      report('error', `${path} is not a file; its settings are ignored`);
      return empty;
    }
    text = decodeText(readFileSync(path));
  } catch (error) {
    // ENOTDIR: something above it is a file, so there are no settings here, just as when it is missing.
    if (!isCoded(error, 'ENOTDIR')) report('error', `${path} can't be read, its settings are ignored: ${messageOf(error)}`);
    return empty;
  }
  if (text.trim() === '') return empty;

  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    const { line, column } = (isCoded(error) ? error.data : undefined) ?? {};
    const place = typeof line === 'number' ? `, line ${line}, column ${column}` : '';
    report(
      'error',
      `${path}${place}: ${messageOf(error)}; the settings of this file are ignored`,
      typeof line === 'number' ? line : undefined,
    );
    if (isProject || !text.includes('"extensionTrust"')) return empty;
    // Whom the user does not trust is not known: then it is nobody. A slip of the pen must not open what was closed.
    report(
      'error',
      `${path}: what it says of extensionTrust can't be read either: until it can, extensions run restricted, without grants`,
    );
    return { ...empty, known: { extensionTrust: { default: 'restricted' } } };
  }
  if (!isPlainObject(root.value)) {
    report('error', `${path} must hold a JSON object; the settings of this file are ignored`, 1);
    return empty;
  }
  const known = pick(
    SETTINGS,
    root,
    [],
    (key, node, problem) => {
      report('warning', `${path}, line ${lineAt(text, node.start)}: "${key}" ${problem}; ignored`, lineAt(text, node.start));
    },
    isProject,
  );
  const lineOf: SettingsFile['lineOf'] = (key, index) => {
    const item = memberOf(root, key)?.node.elements?.[index];
    return item && lineAt(text, item.start);
  };
  return { path, baseDir, known: known as FileSettings, raw: root.value, lineOf };
}

/** The members of `node` that the table knows and that are of their type. */
function pick(
  table: SettingMembers,
  node: JsonNode,
  above: readonly string[],
  refuse: (key: string, node: JsonNode, problem: string) => void,
  isProject: boolean,
): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(table)) {
    const found = memberOf(node, key)?.node;
    // `null` is how some editors write "not set".
    if (!found || found.value === null) continue;
    const path = [...above, key];
    if (isGroup(entry)) {
      if (found.members) picked[key] = pick(entry.members, found, path, refuse, isProject);
      else refuse(path.join('.'), found, `must be an object, not ${show(found.value)}`);
    } else if (!entry.kind.check(found.value)) {
      refuse(path.join('.'), found, `must be ${entry.kind.must}, not ${show(found.value)}`);
    } else if (entry.inProject === 'refused' && isProject) {
      refuse(path.join('.'), found, 'counts only in the global settings, not in those of a project');
    } else {
      picked[key] = found.value;
    }
  }
  return picked;
}

type Values = Readonly<Record<string, unknown>> | undefined;

/** The project's value, else the global one, else the default, group by group. */
function merge(table: SettingMembers, project: Values, global: Values): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(table)) {
    const [ours, theirs] = [project?.[key], global?.[key]];
    if (isGroup(entry)) {
      merged[key] = merge(entry.members, isPlainObject(ours) ? ours : undefined, isPlainObject(theirs) ? theirs : undefined);
      continue;
    }
    const value = (entry.inProject === undefined ? ours : undefined) ?? theirs ?? entry.fallback;
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

/** A value fit for one line of a message. */
function show(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}
