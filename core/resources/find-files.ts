import { readdirSync, realpathSync, statSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import { nextTurn, SLICE } from './slices.js';

/** Deeper than anybody nests skills. */
const MAX_DEPTH = 16;
/** More folders than anybody keeps skills in: whoever names a whole disk is told. */
const MAX_FOLDERS = 20_000;

/** A file by the way it was found, and by the one path it has without links. */
export interface FoundFile {
  path: string;
  real: string;
}

/** Tells what was left out and why. */
export type TellLeftOut = (message: string, path: string) => void;

/** What a path is, following links; undefined when it is not there or can't be looked at. */
export async function kindOf(target: string): Promise<'file' | 'folder' | undefined> {
  try {
    const found = await stat(target);
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : undefined;
  } catch {
    // Not there, a link that leads nowhere, or not ours to look at.
    return undefined;
  }
}

/** The path without links; the path itself when it leads nowhere. */
export function realOr(target: string): Promise<string> {
  return realpath(target).catch(() => path.resolve(target));
}

/** The Markdown files of a folder itself, by name; hidden ones are left out. A folder that is not there has none. */
export async function markdownIn(folder: string, tell: TellLeftOut): Promise<FoundFile[]> {
  return markdownOf(listFolder({ path: folder, real: await realOr(folder) }, tell), tell);
}

/**
 * Skill files below a folder: SKILL.md at any depth, and with `rootFiles` every Markdown file of the folder itself. A folder with a
 * SKILL.md is one skill: nothing below it is looked at. Hidden folders and node_modules are left out. A folder that links lead to twice
 * is searched once, so loops end.
 */
export async function findSkillFiles(root: string, rootFiles: boolean, tell: TellLeftOut): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const start = { path: root, real: await realOr(root) };
  const visited = new Set([start.real]);
  let level: FoundFile[] = [start];
  // Level by level, so that of two ways to a folder the shorter one, then the first by name counts.
  for (let depth = 0; level.length > 0; depth += 1) {
    const folders = level;
    level = [];
    for (const [at, folder] of folders.entries()) {
      if (at % SLICE === SLICE - 1) await nextTurn();
      const listing = listFolder(folder, tell);
      const skill = skillOf(listing, depth, tell);
      if (skill) {
        found.push(skill);
        continue;
      }
      if (depth === 0 && rootFiles) found.push(...markdownOf(listing, tell));
      for (const { name, kind, real } of listing.entries) {
        if (kind !== 'folder' || name.startsWith('.') || name === 'node_modules' || visited.has(real)) continue;
        visited.add(real);
        level.push({ path: below(listing.folder, name), real });
      }
    }
    if (level[0] && (depth === MAX_DEPTH || visited.size > MAX_FOLDERS)) {
      const limit =
        depth === MAX_DEPTH ? `nested more than ${MAX_DEPTH} folders deep` : `one of more than ${MAX_FOLDERS} folders`;
      tell(`${level[0].path} is ${limit}; the search for skills ends there`, level[0].path);
      break;
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Listing {
  folder: string;
  entries: Entry[];
}

interface Entry extends FoundFile {
  name: string;
  /** `nothing`: a link that leads nowhere. */
  kind: 'file' | 'folder' | 'nothing' | 'other';
}

function skillOf({ entries }: Listing, depth: number, tell: TellLeftOut): FoundFile | undefined {
  const skill = entries.find(({ name }) => name === 'SKILL.md');
  if (skill?.kind === 'file') return skill;
  if (skill) {
    tell(`${skill.path} is ${WHAT[skill.kind]}, so it is no skill`, skill.path);
  } else if (depth > 0) {
    const almost = entries.find(({ name, kind }) => kind === 'file' && name.toLowerCase() === 'skill.md');
    if (almost) tell(`${almost.path} must be named SKILL.md; it is not loaded`, almost.path);
  }
  return undefined;
}

const WHAT = { folder: 'a folder', nothing: 'a link that leads nowhere', other: 'neither a file nor a folder' };

function markdownOf({ entries }: Listing, tell: TellLeftOut): FoundFile[] {
  return entries.filter((entry) => {
    if (!entry.name.endsWith('.md') || entry.name.startsWith('.') || entry.kind === 'folder') return false;
    if (entry.kind !== 'file' && entry.name !== 'SKILL.md')
      tell(`${entry.path} is ${WHAT[entry.kind]}; it is not loaded`, entry.path);
    return entry.kind === 'file';
  });
}

/**
 * Listed at once: the disk has just answered for the root of the search, and thousands of trips to the thread pool take longer than
 * thousands of small folders.
 */
function listFolder({ path: folder, real }: FoundFile, tell: TellLeftOut): Listing {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).map((entry): Entry => {
      const { name } = entry;
      const target = below(folder, name);
      if (entry.isSymbolicLink()) return followed(name, target);
      const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
      return { name, kind, path: target, real: below(real, name) };
    });
    return { folder, entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch (error) {
    // Most places are not there: no resources, and no problem.
    if (!isCoded(error, 'ENOENT') && !isCoded(error, 'ENOTDIR')) tell(`${folder} can't be searched: ${messageOf(error)}`, folder);
    return { folder, entries: [] };
  }
}

/** `path.join` for a clean path and a name: a tenth of its time, for every file there is. */
function below(folder: string, name: string): string {
  return folder.endsWith(path.sep) ? folder + name : folder + path.sep + name;
}

function followed(name: string, link: string): Entry {
  try {
    const found = statSync(link);
    const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
    return { name, kind, path: link, real: realpathSync.native(link) };
  } catch {
    // Where it leads is gone, closed to us, or the link itself.
    return { name, kind: 'nothing', path: link, real: link };
  }
}
