import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { decodeText } from './decode-text.js';
import { readCapped } from './read-capped.js';

/** A file of instructions for the model, as extensions see it too. */
export interface ContextFile {
  readonly path: string;
  readonly content: string;
}

/** Of one directory, the first of these that is there counts. */
const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md'] as const;

/** About 50 000 tokens: past that, a file is a mistake, not an instruction. */
export const MAX_CONTEXT_FILE_BYTES = 200 * 1024;
/** All files together; the nearest ones are kept. */
export const MAX_CONTEXT_BYTES = 1024 * 1024;

/**
 * The context files in the order the model gets them: the agent directory's, then from the outermost directory down to `cwd`.
 * They need no trust. Blank files are left out; an unreadable or oversized one is reported and the rest goes on. Never throws.
 * Source: "Using Pi", Context Files.
 */
export async function loadContextFiles(where: {
  agentDir: string;
  cwd: string;
}): Promise<{ files: ContextFile[]; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const directories = [resolve(where.agentDir), ...ancestors(resolve(where.cwd))];
  const found = await Promise.all([...new Set(directories)].map((directory) => findIn(directory, diagnostics)));

  // The same file under two paths (a link) is sent once.
  const seen = new Set<string>();
  const unique = found.filter((file): file is Found => {
    if (!file) return false;
    const id = `${file.stats.dev}:${file.stats.ino}`;
    const isNew = file.stats.ino === 0 || !seen.has(id);
    seen.add(id);
    return isNew;
  });

  const files: ContextFile[] = [];
  let room = MAX_CONTEXT_BYTES;
  // From the nearest outwards, because the nearest must not be the one without room.
  for (const { path, stats } of unique.reverse()) {
    const size = Math.min(stats.size, MAX_CONTEXT_FILE_BYTES);
    if (size > room) {
      diagnostics.push(problem(path, `left out: context files together are larger than ${MAX_CONTEXT_BYTES / 1024} KB`));
      continue;
    }
    const content = await read(path, diagnostics);
    if (content === undefined || content.trim() === '') continue;
    room -= size;
    files.push({ path, content });
  }
  return { files: files.reverse(), diagnostics };
}

interface Found {
  readonly path: string;
  readonly stats: Stats;
}

/** `/`, `/a`, `/a/b` for `/a/b`. */
function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [...ancestors(parent), directory];
}

async function findIn(directory: string, diagnostics: Diagnostic[]): Promise<Found | undefined> {
  const candidates = await Promise.all(
    NAMES.map(async (name) => {
      const path = join(directory, name);
      try {
        return { path, stats: await stat(path) };
      } catch (error) {
        // Missing, or a directory we may not look into: no context file for us either way.
        if (!isCoded(error, 'ENOENT') && !isCoded(error, 'ENOTDIR') && !isCoded(error, 'EACCES'))
          diagnostics.push(problem(path, messageOf(error)));
        return undefined;
      }
    }),
  );
  for (const candidate of candidates) {
    if (!candidate) continue;
    if (candidate.stats.isFile()) return candidate;
    diagnostics.push(problem(candidate.path, 'ignored: it is not a file'));
  }
  return undefined;
}

async function read(path: string, diagnostics: Diagnostic[]): Promise<string | undefined> {
  try {
    const { bytes, cut } = await readCapped(path, MAX_CONTEXT_FILE_BYTES, { mustBeFile: true });
    if (!cut) return decodeText(bytes);
    diagnostics.push(problem(path, `cut at ${MAX_CONTEXT_FILE_BYTES / 1024} KB; the rest is not sent to the model`));
    // The cut may have split a character.
    return `${decodeText(bytes).replace(/\uFFFD$/, '')}\n[cut here: the file is longer than ${MAX_CONTEXT_FILE_BYTES / 1024} KB]`;
  } catch (error) {
    diagnostics.push(problem(path, `can't be read: ${messageOf(error)}`));
    return undefined;
  }
}

function problem(path: string, message: string): Diagnostic {
  return { kind: 'context', severity: 'warning', message: `${path} ${message}`, path };
}
