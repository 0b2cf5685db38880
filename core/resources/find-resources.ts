import path from 'node:path';
import { type FoundFile, findSkillFiles, kindOf, markdownIn, realOr, type TellLeftOut } from './find-files.js';
import { findGlob, type Wish } from './path-wishes.js';

export type ResourceKind = 'skills' | 'prompts';

/** What a search is for, and whom it tells of places that can't be searched. */
export interface Search {
  kind: ResourceKind;
  tell: TellLeftOut;
}

/** Files of a folder of resources. `rootFiles`: Markdown files of the folder itself are skills too; they always are templates. */
export function findInFolder({ kind, tell }: Search, folder: string, rootFiles: boolean): Promise<FoundFile[]> {
  return kind === 'skills' ? findSkillFiles(folder, rootFiles, tell) : markdownIn(folder, tell);
}

/** The file a path names, or those of the folder it names. `tellMissing` is told when there is neither. */
export async function findAtPath(search: Search, target: string, tellMissing: (message: string) => void): Promise<FoundFile[]> {
  const found = await kindOf(target);
  if (found === 'file') return [{ path: target, real: await realOr(target) }];
  if (found === 'folder') return findInFolder(search, target, true);
  tellMissing(`there is no ${search.kind === 'skills' ? 'skill' : 'prompt template'} at ${target}`);
  return [];
}

/** What one path or glob of a list stands for. */
export async function findWished(
  search: Search,
  { target, isGlob }: Pick<Wish, 'target' | 'isGlob'>,
  baseDir: string,
  tellMissing: (message: string) => void,
): Promise<FoundFile[]> {
  const literal = path.resolve(baseDir, target);
  // A folder's own name may look like a glob.
  if (!isGlob || (await kindOf(literal)) !== undefined) return findAtPath(search, literal, tellMissing);
  const matches = await findGlob(target, baseDir);
  // A glob such as `**` meets everything that lies in a skill; of files it takes skills, unless it asks for Markdown.
  const isWanted = (file: string): boolean =>
    file.endsWith('.md') && (search.kind === 'prompts' || target.endsWith('.md') || path.basename(file) === 'SKILL.md');
  const lists = await Promise.all(
    matches.map(async (match) => {
      const found = await kindOf(match);
      if (found === 'folder') return findInFolder(search, match, false);
      return found === 'file' && isWanted(match) ? [{ path: match, real: await realOr(match) }] : [];
    }),
  );
  if (lists.flat().length === 0) tellMissing(`nothing that could be loaded matches "${target}"`);
  return lists.flat();
}
