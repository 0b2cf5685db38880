import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { expandHome } from './agent-dir.js';
import { type ContextFile, loadContextFiles } from './context-files.js';
import { decodeText } from './decode-text.js';
import { RESOURCE_ERRORS } from './errors.js';
import { readCapped } from './read-capped.js';

/** What the system prompt takes from disk and from the command line. */
export interface PromptResources {
  readonly contextFiles: readonly ContextFile[];
  /** From `--system-prompt`, else the project's SYSTEM.md, else the global one. */
  readonly customPrompt?: string;
  /** APPEND_SYSTEM.md of the agent directory, then of the project, then `--append-system-prompt`, a blank line between them. */
  readonly appendSystemPrompt?: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface PromptResourceOptions {
  readonly agentDir: string;
  readonly cwd: string;
  readonly home: string;
  /** SYSTEM.md and APPEND_SYSTEM.md of the project count only when it is trusted. */
  readonly projectTrusted: boolean;
  /** Value of `--system-prompt`: a text, or the path of a file. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: readonly string[];
  readonly noContextFiles?: boolean;
}

export interface PromptResourceLoader {
  /**
   * Reads everything at the first call and remembers it. Rejects with `PROMPT_FILE_UNREADABLE` when a file that an option names
   * can't be read; the next call tries again.
   */
  load(): Promise<PromptResources>;
  /** Forgets what was read, so that the next prompt sees edited files. */
  invalidate(): void;
}

/** Largest system prompt file. */
const MAX_BYTES = 1024 * 1024;

/** Nothing is read before the first `load()`: a start without a prompt must not pay for it. Holds nothing open. */
export function createPromptResourceLoader(options: PromptResourceOptions): PromptResourceLoader {
  let loading: Promise<PromptResources> | undefined;
  return {
    load() {
      if (loading) return loading;
      const mine = loadPromptResources(options);
      loading = mine;
      mine.catch(() => {
        if (loading === mine) loading = undefined;
      });
      return mine;
    },
    invalidate() {
      loading = undefined;
    },
  };
}

/** See {@link PromptResources}. Source: "Using Pi", System Prompt Files; project files need trust. */
export async function loadPromptResources(options: PromptResourceOptions): Promise<PromptResources> {
  const diagnostics: Diagnostic[] = [];
  const projectDir = options.projectTrusted ? join(options.cwd, '.pi') : undefined;
  const file = (directory: string | undefined, name: string): Promise<string | undefined> =>
    directory === undefined ? Promise.resolve(undefined) : optionalFile(join(directory, name), diagnostics);

  const [context, flag, projectSystem, globalSystem, globalAppend, projectAppend, ...flagAppends] = await Promise.all([
    options.noContextFiles ? { files: [], diagnostics: [] } : loadContextFiles(options),
    options.systemPrompt === undefined ? undefined : textOrFile(options.systemPrompt, options, '--system-prompt'),
    file(projectDir, 'SYSTEM.md'),
    file(options.agentDir, 'SYSTEM.md'),
    file(options.agentDir, 'APPEND_SYSTEM.md'),
    file(projectDir, 'APPEND_SYSTEM.md'),
    ...(options.appendSystemPrompt ?? []).map((value) => textOrFile(value, options, '--append-system-prompt')),
  ]);
  const customPrompt = flag ?? projectSystem ?? globalSystem;
  const append = [globalAppend, projectAppend, ...flagAppends].map((text) => text?.trim() ?? '').filter((text) => text !== '');
  return {
    contextFiles: context.files,
    ...(customPrompt !== undefined && { customPrompt }),
    ...(append.length > 0 && { appendSystemPrompt: append.join('\n\n') }),
    diagnostics: [...context.diagnostics, ...diagnostics],
  };
}

/** The file's text when `value` names a file that exists, else `value` itself. */
async function textOrFile(value: string, where: { cwd: string; home: string }, option: string): Promise<string> {
  // No path has a line break or is longer than this on any system we run on.
  if (value === '' || value.includes('\n') || value.length > 4096) return value;
  const path = resolve(where.cwd, expandHome(value, where.home));
  try {
    if (!(await stat(path)).isFile()) return value;
  } catch (error) {
    // No such file, too long for a name, a NUL in it, a directory closed to us: a text.
    if (isCoded(error)) return value;
    throw error;
  }
  try {
    return await readText(path);
  } catch (cause) {
    const message = `${option}: the file ${path} can't be read: ${messageOf(cause)}`;
    throw new CodedError(RESOURCE_ERRORS.PROMPT_FILE_UNREADABLE, message, { cause, data: { path } });
  }
}

/** A file that need not be there; one that can't be read is reported, a blank one is as good as none. */
async function optionalFile(path: string, diagnostics: Diagnostic[]): Promise<string | undefined> {
  try {
    const text = await readText(path);
    return text.trim() === '' ? undefined : text;
  } catch (error) {
    if (!isCoded(error, 'ENOENT') && !isCoded(error, 'ENOTDIR')) {
      diagnostics.push({ kind: 'context', severity: 'warning', message: `${path} can't be read: ${messageOf(error)}`, path });
    }
    return undefined;
  }
}

async function readText(path: string): Promise<string> {
  const { bytes, cut } = await readCapped(path, MAX_BYTES, { mustBeFile: true });
  if (cut) throw new Error(`larger than ${MAX_BYTES / 1024} KB`);
  return decodeText(bytes);
}
