import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

export interface ProjectPlace {
  agentDir: string;
  cwd: string;
  home: string;
}

/** Something of a project that can change what the agent does. */
export interface ProjectPart {
  /** As a person would name it: `.pi/settings.json`, `../.agents/skills`. */
  name: string;
  path: string;
}

/** What is looked for in `.pi`. Anything else there is loaded by nobody. Source: "Security", Project Trust; `agent/` is the seed's place. */
const IN_PI = [
  'settings.json',
  'SYSTEM.md',
  'APPEND_SYSTEM.md',
  'extensions',
  'skills',
  'prompts',
  'themes',
  'agent/extensions',
  'agent/skills',
  'agent/prompts',
];

/**
 * The parts of the project in `cwd` that need trust. The agent's own folder is none, wherever it lies, and nothing in the home folder is:
 * that is the user's.
 */
export function projectParts({ agentDir, cwd, home }: ProjectPlace): ProjectPart[] {
  if (isSameFolder(cwd, home)) return [];
  const parts: ProjectPart[] = [];
  const dotPi = path.join(cwd, '.pi');
  if (existsSync(dotPi) && !isSameFolder(dotPi, agentDir)) {
    for (const name of IN_PI) {
      const part = path.join(dotPi, name);
      if (isFilled(part) && !isSameFolder(path.dirname(part), agentDir)) parts.push({ name: `.pi/${name}`, path: part });
    }
  }
  for (const folder of agentsFolders(cwd, home)) {
    if (isFilled(folder)) parts.push({ name: path.relative(cwd, folder).split(path.sep).join('/'), path: folder });
  }
  return parts;
}

/**
 * `.agents/skills` of a folder and of those above it, up to the root of the repository, or of the disk when there is none; never of the
 * home folder. Source: "Skills", Locations.
 */
export function agentsFolders(cwd: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); !isSameFolder(folder, home); folder = path.dirname(folder)) {
    folders.push(path.join(folder, '.agents', 'skills'));
    if (folder === path.dirname(folder) || existsSync(path.join(folder, '.git'))) break;
  }
  return folders;
}

/** Where a folder really is; its name when it is gone. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Gone, or behind a folder that is closed to us: it keeps the name it was given.
    return path.resolve(folder);
  }
}

function isSameFolder(a: string, b: string): boolean {
  return path.resolve(a) === path.resolve(b) || realFolder(a) === realFolder(b);
}

/** A file, or a folder with something in it. */
function isFilled(target: string): boolean {
  try {
    return readdirSync(target).length > 0;
  } catch {
    // A file, or not there, or not ours to read: of a folder that can't be read nothing would load either.
    return existsSync(target);
  }
}
