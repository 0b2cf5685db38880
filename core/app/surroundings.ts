import path from 'node:path';
import type { Logger } from '../base/logger.js';
import type { ParsedOptions } from '../modes/cli/option-table.js';
import { agentDir as agentDirOf, homeDir } from '../resources/agent-dir.js';
import { bundledFolder } from '../resources/bundled-folder.js';
import { type ExtensionFile, listExtensions } from '../resources/extension-files.js';
import type { TemporaryPackage } from '../resources/packages/configured-packages.js';
import { isFetchedText } from '../resources/packages/package-source.js';
import { type LoadedSettings, loadSettings } from '../resources/settings.js';
import { decideProjectTrust } from '../trust/project-trust.js';
import { askProjectTrust } from './extensions/ask-project-trust.js';
import type { ExtensionTrustSources } from './extensions/extension-specs.js';
import { pinnedPlaces } from './pinned-places.js';
import { preparePackages } from './prepare-packages.js';
import type { Problems } from './problems.js';

export interface SurroundingsOptions {
  options: ParsedOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  mode: 'rpc' | 'json' | 'print';
  version: string;
  problems: Problems;
  log: Logger;
  /** One line for a person. */
  warn: (text: string) => void;
}

/** What the program finds on this machine before it puts anything together. */
export interface Surroundings {
  agentDir: string;
  cwd: string;
  home: string;
  /** Whether what the project brings may load. */
  projectTrusted: boolean;
  loaded: LoadedSettings;
  /** Packages of `-e`, fetched. */
  temporaryPackages: readonly TemporaryPackage[];
  host: { entry: string; cacheDir: string };
  extensionTrust: ExtensionTrustSources;
  findExtensions(): Promise<ExtensionFile[]>;
}

/** Reads settings, decides about the project, and fetches packages that are missing. Nothing of an untrusted project is read. */
export async function lookAround(given: SurroundingsOptions): Promise<Surroundings> {
  const { options, env, cwd, mode, version, problems, log, warn } = given;
  const agentDir = agentDirOf(env, cwd);
  const home = homeDir(env);
  const host = {
    entry: path.join(bundledFolder(), 'dist/extension-host/host.js'),
    cacheDir: path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'pi-platform', 'extensions'),
  };
  const own = loadSettings({ agentDir, cwd, projectTrusted: false });
  const trustSources = { home, agentDir, cwd, learn: takeLearn(env) };
  const places = {
    agentDir,
    cwd,
    home,
    flags: (options.extension ?? []).filter((flag) => !isFetchedText(flag)),
    flagsOnly: options.noExtensions,
  };
  const { trusted, diagnostics } = await decideProjectTrust({
    agentDir,
    cwd,
    home,
    approve: options.approve,
    noApprove: options.noApprove,
    fallback: own.settings.defaultProjectTrust,
    pinnedPlaces: () => pinnedPlaces(cwd, home),
    ask: async () =>
      askProjectTrust({
        ...host,
        trust: { ...trustSources, user: own.settings.extensionTrust, project: undefined, report: () => undefined },
        env,
        cwd,
        log,
        loadSettings: {
          cwd,
          mode,
          hasUI: false,
          projectTrusted: false,
          agentDir,
          cliPath: process.argv[1] ?? '',
          version,
          flags: [],
        },
        // What can't be found is said when the extensions of the session are looked for.
        files: await listExtensions({
          ...places,
          projectTrusted: false,
          global: own.global,
          project: undefined,
          report: () => undefined,
        }),
        warn,
      }),
  });
  const loaded = trusted ? loadSettings({ agentDir, cwd, projectTrusted: true }) : own;
  for (const problem of [...diagnostics, ...loaded.diagnostics]) problems.report(problem);
  const temporaryPackages = await preparePackages({
    agentDir,
    cwd,
    home,
    env,
    offline: options.offline,
    settings: loaded,
    flags: options.extension ?? [],
    needsConfigured: !(options.noExtensions && options.noSkills && options.noPromptTemplates),
    report: (problem) => problems.report(problem),
    progress: warn,
  });
  return {
    agentDir,
    cwd,
    home,
    projectTrusted: trusted,
    loaded,
    temporaryPackages,
    host,
    extensionTrust: {
      ...trustSources,
      user: loaded.global.known.extensionTrust,
      project: loaded.project?.known.extensionTrust,
      // Said again at each loading.
      report: (message, file) => problems.reportOnce({ kind: 'extension', severity: 'error', message, path: file }),
    },
    findExtensions: () =>
      listExtensions({
        ...places,
        temporaryPackages,
        projectTrusted: trusted,
        global: loaded.global,
        project: loaded.project,
        report: (problem) => problems.reportOnce({ kind: 'extension', severity: 'error', ...problem }),
      }),
  };
}

/** Set by `pi ext learn` for the program it starts; nobody else shall see it. */
function takeLearn(env: NodeJS.ProcessEnv): { path: string; report: string } | undefined {
  const { PI_EXT_LEARN: text } = env;
  delete env.PI_EXT_LEARN;
  return text === undefined ? undefined : (JSON.parse(text) as { path: string; report: string });
}
