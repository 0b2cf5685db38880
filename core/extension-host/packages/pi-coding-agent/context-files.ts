import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ContextFile } from '../../../resources/context-files.js';
import { getAgentDir } from './host.js';

/** Of one directory, the first of these that is there counts. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md'];

/** The agent directory's instructions, then those from the outermost directory down to `cwd`. Source: usage document, "Context Files". */
export function loadProjectContextFiles(options: { cwd?: string; agentDir?: string } = {}): ContextFile[] {
  const folders = [resolve(options.agentDir ?? getAgentDir()), ...ancestors(resolve(options.cwd ?? process.cwd()))];
  return [...new Set(folders)].flatMap((folder) => {
    const path = NAMES.map((name) => join(folder, name)).find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    if (path === undefined) return [];
    const content = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
    return content.trim() === '' ? [] : [{ path, content }];
  });
}

/** `/`, `/a`, `/a/b` for `/a/b`. */
function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...ancestors(parent), folder];
}
