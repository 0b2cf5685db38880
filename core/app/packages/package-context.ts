import path from 'node:path';
import { CodedError } from '../../base/coded-error.js';
import { homeDir } from '../../resources/agent-dir.js';
import { type ConfiguredPackage, configuredPackages } from '../../resources/packages/configured-packages.js';
import { type LoadedSettings, loadSettings, type SettingsFile } from '../../resources/settings.js';
import { realFolder } from '../../trust/project-parts.js';
import { decideProjectTrust } from '../../trust/project-trust.js';
import { APP_ERRORS } from '../errors.js';
import { isOffline } from '../offline-mode.js';
import { pinnedPlaces } from '../pinned-places.js';
import type { PackageTools } from './run-tool.js';

export interface CommandIo {
  agentDir: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

/** What the commands about packages know of where they run. */
export interface PackageContext {
  home: string;
  settings: LoadedSettings;
  projectTrusted: boolean;
  tools: PackageTools;
  /** Told to a person, each once. */
  warn: (text: string) => void;
}

/**
 * Reads the settings as a session in this folder would, the project's only when it is trusted. Problems of the settings go to stderr.
 * The tools stop when the process is told to end.
 */
export async function openPackageContext(
  io: CommandIo,
  flags: ReadonlySet<string>,
  command: string,
  signal?: AbortSignal,
): Promise<PackageContext> {
  const { agentDir, env, cwd } = io;
  const home = homeDir(env);
  const told = new Set<string>();
  const warn = (text: string): void => {
    if (told.has(text)) return;
    told.add(text);
    io.stderr(`pi ${command}: ${text}\n`);
  };
  const own = loadSettings({ agentDir, cwd, projectTrusted: false });
  const { trusted, diagnostics } = await decideProjectTrust({
    agentDir,
    cwd,
    home,
    approve: flags.has('approve'),
    noApprove: flags.has('noApprove'),
    fallback: own.settings.defaultProjectTrust,
    pinnedPlaces: () => pinnedPlaces(cwd, home),
  });
  const settings = trusted ? loadSettings({ agentDir, cwd, projectTrusted: true }) : own;
  for (const { message } of [...diagnostics, ...settings.diagnostics]) warn(message);
  const { npmCommand } = settings.settings;
  const tools: PackageTools = {
    env,
    npmCommand: npmCommand && npmCommand.length > 0 ? npmCommand : ['npm'],
    offline: flags.has('offline') || isOffline(env),
    allowScripts: flags.has('allowScripts'),
    progress: (line) => io.stderr(`pi ${command}: ${line}\n`),
    signal,
  };
  return { home, settings, projectTrusted: trusted, tools, warn };
}

/** The settings file a command changes. Throws PROJECT_NOT_TRUSTED: changing a project means reading it. */
export function fileToChange(context: PackageContext, isLocal: boolean, cwd: string): SettingsFile {
  const { settings, projectTrusted } = context;
  if (!isLocal) return settings.global;
  if (settings.project) return settings.project;
  if (projectTrusted) return settings.global;
  const message = `The project in ${realFolder(cwd)} is not trusted, so its settings are not read and not changed; run "pi trust" first, or pass --approve`;
  throw new CodedError(APP_ERRORS.PROJECT_NOT_TRUSTED, message, { data: { path: path.resolve(cwd) } });
}

/** The same file as it is now. */
export function rereadSettings(file: SettingsFile, { agentDir, cwd }: CommandIo): SettingsFile {
  const { global, project } = loadSettings({ agentDir, cwd, projectTrusted: true });
  return project?.path === file.path ? project : global;
}

/** All packages of the settings, each scope by itself: the same one may be in both. */
export function packagesByScope(context: PackageContext): { user: ConfiguredPackage[]; project: ConfiguredPackage[] } {
  const { home, settings, warn } = context;
  const report = ({ message }: { message: string }): void => warn(message);
  const empty: SettingsFile = { ...settings.global, known: {}, raw: {} };
  const project = settings.project ? configuredPackages({ home, global: empty, project: settings.project, report }) : [];
  return { user: configuredPackages({ home, global: settings.global, report }), project };
}
