import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../../core/protocol/commands/state.js';
import { ResourceLoader, type ResourceLoaderOptions } from '../../../core/resources/resource-loader.js';
import { loadSettings } from '../../../core/resources/settings.js';
import { tempDir } from './temp-dir.js';

export interface Loaded {
  root: string;
  home: string;
  agentDir: string;
  cwd: string;
  loader: ResourceLoader;
  /** What was told when it was found. */
  told: Diagnostic[];
}

export interface LoadOptions extends Partial<ResourceLoaderOptions> {
  /** Of `settings.json` in the agent directory and in the project's `.pi`. */
  settings?: unknown;
  projectSettings?: unknown;
}

/** A loader over `home/.pi/agent` and the project `home/work`, with these files below `home`. The project is trusted. */
export function load(files: Readonly<Record<string, string | Uint8Array>>, options: LoadOptions = {}): Loaded {
  const { settings, projectSettings, ...more } = options;
  const text = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  const root = tempDir({
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`home/${name}`, content])),
    ...(settings === undefined ? {} : { 'home/.pi/agent/settings.json': text(settings) }),
    ...(projectSettings === undefined ? {} : { 'home/work/.pi/settings.json': text(projectSettings) }),
  });
  return loadAt(root, more);
}

/** The same over folders that are there already. */
export function loadAt(root: string, more: Partial<ResourceLoaderOptions> = {}): Loaded {
  const home = join(root, 'home');
  const agentDir = more.agentDir ?? join(home, '.pi/agent');
  const cwd = more.cwd === undefined ? join(home, 'work') : join(root, more.cwd);
  mkdirSync(cwd, { recursive: true });
  const projectTrusted = more.projectTrusted ?? true;
  const loaded = loadSettings({ agentDir, cwd, projectTrusted });
  const told: Diagnostic[] = [];
  const loader = new ResourceLoader({
    agentDir,
    home,
    projectTrusted,
    global: loaded.global,
    project: loaded.project,
    skillFlags: [],
    noSkills: false,
    templateFlags: [],
    noTemplates: false,
    builtin: [],
    skillCommands: true,
    onDiagnostic: (problem) => told.push(problem),
    ...more,
    cwd,
  });
  return { root, home, agentDir, cwd, loader, told };
}

export const skill = (name: string, description = `about ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}.\n`;

export const skillNames = async ({ loader }: Loaded): Promise<string[]> => [...(await loader.skills()).keys()].sort();
export const templateNames = async ({ loader }: Loaded): Promise<string[]> => [...(await loader.templates()).keys()].sort();
