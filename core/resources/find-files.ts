import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Deeper than anybody nests skills; a wall against trees without end. */
const MAX_DEPTH = 16;

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

/** The Markdown files of a folder itself, by name. A folder that is not there has none. */
export async function markdownIn(folder: string): Promise<string[]> {
  return (await entriesOf(folder))
    .filter(({ name, isFolder }) => !isFolder && name.endsWith('.md'))
    .map(({ name }) => path.join(folder, name));
}

/**
 * Skill files below a folder: SKILL.md at any depth, and with `rootFiles` every Markdown file of the folder itself. A folder with a
 * SKILL.md is one skill: nothing below it is looked at. Hidden folders and node_modules are left out; a loop of links ends where it
 * meets itself.
 */
export async function findSkillFiles(root: string, rootFiles: boolean): Promise<string[]> {
  const found: string[] = [];
  const visited = new Set<string>();
  const visit = async (folder: string, depth: number): Promise<void> => {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || visited.has(real) || depth > MAX_DEPTH) return;
    visited.add(real);
    const entries = await entriesOf(folder);
    if (entries.some(({ name, isFolder }) => name === 'SKILL.md' && !isFolder)) {
      found.push(path.join(folder, 'SKILL.md'));
      return;
    }
    if (depth === 0 && rootFiles) {
      for (const { name, isFolder } of entries) if (!isFolder && name.endsWith('.md')) found.push(path.join(folder, name));
    }
    const folders = entries.filter(({ name, isFolder }) => isFolder && !name.startsWith('.') && name !== 'node_modules');
    await Promise.all(folders.map(({ name }) => visit(path.join(folder, name), depth + 1)));
  };
  await visit(root, 0);
  return found.sort();
}

async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const known = await Promise.all(
      entries.map(async (entry) => {
        if (!entry.isSymbolicLink()) return { name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() };
        const kind = await kindOf(path.join(folder, entry.name));
        return { name: entry.name, isFolder: kind === 'folder', isFile: kind === 'file' };
      }),
    );
    return known.filter(({ isFolder, isFile }) => isFolder || isFile).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // No such folder, or not ours to read: it brings nothing.
    return [];
  }
}
