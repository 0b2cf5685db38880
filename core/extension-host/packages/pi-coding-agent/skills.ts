import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../../../base/coded-error.js';
import { expandHome, homeDir } from '../../../resources/agent-dir.js';
import { type SkillInfo, skillsSection } from '../../../resources/skills.js';
import { parseFrontmatter } from './front-matter.js';
import { CONFIG_DIR_NAME, getAgentDir } from './host.js';
import { createSyntheticSourceInfo, type SourceInfo } from './source-info.js';

export interface ResourceDiagnostic {
  type: 'warning' | 'error' | 'collision';
  message: string;
  path?: string;
}

export interface LoadedSkills {
  skills: SkillInfo[];
  diagnostics: ResourceDiagnostic[];
}

export interface LoadSkillsOptions {
  cwd: string;
  agentDir?: string;
  /** Files and folders besides the usual places. */
  skillPaths?: readonly string[];
  /** Whether the user's and the project's own folders count. */
  includeDefaults?: boolean;
}

const MAX_DEPTH = 16;

/** Skills of the given places, the first of a name. Synchronous, for code that can't wait. Source: skills document; observed, 0.84.0. */
export function loadSkills(options: LoadSkillsOptions): LoadedSkills {
  const { cwd, agentDir = getAgentDir(), skillPaths = [], includeDefaults = true } = options;
  const result: LoadedSkills = { skills: [], diagnostics: [] };
  const places: [path: string, source: Partial<SourceInfo>][] = [
    ...(includeDefaults
      ? ([
          [join(agentDir, 'skills'), { source: 'local', scope: 'user', baseDir: agentDir }],
          [join(cwd, CONFIG_DIR_NAME, 'skills'), { source: 'local', scope: 'project', baseDir: join(cwd, CONFIG_DIR_NAME) }],
        ] as [string, Partial<SourceInfo>][])
      : []),
    ...skillPaths.map((path): [string, Partial<SourceInfo>] => [
      resolve(cwd, expandHome(path, homeDir(process.env))),
      { source: 'local' },
    ]),
  ];
  const seen = new Set<string>();
  for (const [place, source] of places) {
    for (const file of skillFiles(place)) {
      const real = realpathSync(file);
      if (seen.has(real)) continue;
      seen.add(real);
      add(result, file, source);
    }
  }
  return result;
}

/** Skills below one folder. */
export function loadSkillsFromDir({ dir, source }: { dir: string; source: string }): LoadedSkills {
  const result: LoadedSkills = { skills: [], diagnostics: [] };
  for (const file of skillFiles(dir)) add(result, file, { source });
  return result;
}

/** What the model is told of skills; '' when there is none for it. */
export function formatSkillsForPrompt(skills: readonly SkillInfo[]): string {
  const origin = { location: 'path', scope: 'temporary', origin: 'top-level', source: 'local', baseDir: '' } as const;
  return skillsSection(
    skills.map(({ name, description, filePath, disableModelInvocation }) => ({
      name,
      description,
      path: filePath,
      origin,
      disableModelInvocation: disableModelInvocation === true,
    })),
  );
}

/** A SKILL.md at any depth, and the Markdown files of the folder itself. A place that is not there has none. */
function skillFiles(place: string): string[] {
  if (kindOf(place) === 'file') return [place];
  const found: string[] = [];
  const visited = new Set<string>();
  const search = (folder: string, depth: number): void => {
    if (depth > MAX_DEPTH || kindOf(folder) !== 'folder') return;
    const real = realpathSync(folder);
    if (visited.has(real)) return;
    visited.add(real);
    const skill = join(folder, 'SKILL.md');
    if (kindOf(skill) === 'file') {
      found.push(skill);
      return;
    }
    for (const name of readdirSync(folder).sort()) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(folder, name);
      const kind = kindOf(path);
      if (kind === 'folder') search(path, depth + 1);
      else if (depth === 0 && kind === 'file' && name.endsWith('.md')) found.push(path);
    }
  };
  search(place, 0);
  return found;
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? 'folder' : found?.isFile() ? 'file' : undefined;
}

function add({ skills, diagnostics }: LoadedSkills, filePath: string, source: Partial<SourceInfo>): void {
  const warn = (message: string): void => {
    diagnostics.push({ type: 'warning', message, path: filePath });
  };
  try {
    const { frontmatter } = parseFrontmatter(readFileSync(filePath, 'utf8'));
    const { name: given, description } = frontmatter;
    const name = typeof given === 'string' && given.trim() !== '' ? given.trim() : nameOf(filePath);
    if (typeof description !== 'string' || description.trim() === '') {
      warn('a skill needs a description, so it is not loaded');
      return;
    }
    if (skills.some((skill) => skill.name === name)) {
      diagnostics.push({ type: 'collision', message: `the name "${name}" is taken already`, path: filePath });
      return;
    }
    const baseDir = dirname(filePath);
    const sourceInfo = { ...createSyntheticSourceInfo(filePath, { source: 'local' }), baseDir, ...source };
    const disableModelInvocation = frontmatter['disable-model-invocation'] === true;
    skills.push({ name, description: description.trim(), filePath, baseDir, sourceInfo, disableModelInvocation });
  } catch (error) {
    warn(`it can't be read: ${messageOf(error).split('\n')[0]}`);
  }
}

const nameOf = (file: string): string =>
  basename(file) === 'SKILL.md' ? basename(dirname(file)) : basename(file).replace(/\.md$/, '');
