import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { CodedError, isCoded } from '../base/coded-error.js';
import { SESSION_ERRORS } from './errors.js';
import { idInFileName, projectSessionDir } from './naming.js';
import { readHeader, type SessionSummary, summarize } from './summary.js';

export interface SessionDirOptions {
  agentDir: string;
  cwd: string;
  /** `--session-dir`. */
  flag?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** The setting `sessionDir`. */
  setting?: string | undefined;
}

/** Where sessions of this directory live: flag, then PI_CODING_AGENT_SESSION_DIR, then setting, then below the agent's directory. */
export function sessionDirFor(options: SessionDirOptions): string {
  const { agentDir, cwd, flag, env, setting } = options;
  const chosen = [flag, env.PI_CODING_AGENT_SESSION_DIR, setting].find((dir) => dir !== undefined && dir !== '');
  return chosen === undefined ? projectSessionDir(agentDir, cwd) : resolve(cwd, expandHome(chosen, env));
}

function expandHome(dir: string, env: SessionDirOptions['env']): string {
  return dir === '~' || dir.startsWith('~/') ? join(env.HOME ?? homedir(), dir.slice(1)) : dir;
}

/** Session files of one directory by last write, newest first. Heads and tails are read, never whole files. */
export function listSessions(dir: string): SessionSummary[] {
  return newestFirst(dir).flatMap(({ path }) => summarize(path) ?? []);
}

/** Sessions of all projects: those below the agent's directory, and in `dir`, which may be elsewhere. */
export function listAllSessions(dir: string, agentDir: string): SessionSummary[] {
  const dirs = [dir, ...projectDirs({ agentDir, sessionDir: dir })];
  return dirs.flatMap(listSessions).sort((a, b) => b.modifiedMs - a.modifiedMs);
}

/** The session of `cwd` in `dir` that was written last, for `--continue`. A directory may be shared by several projects. */
export function findLatest(dir: string, cwd: string): string | undefined {
  return newestFirst(dir).find(({ path }) => readHeader(path)?.cwd === cwd)?.path;
}

/** The file of the session with exactly this id, for `--session-id`. */
export function findById(dir: string, id: string): string | undefined {
  assertSessionId(id);
  return newestFirst(dir).find(({ path, name }) => sessionIdOf(path, name) === id)?.path;
}

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
/** Leaves room for the time and the ending within the 255 bytes of a file name. */
const MAX_ID_LENGTH = 200;

/** Throws SESSION_ID_INVALID for an id that must not become part of a file name. Source: transcripts of `--session-id`. */
export function assertSessionId(id: string): void {
  if (SESSION_ID.test(id) && id.length <= MAX_ID_LENGTH) return;
  throw new CodedError(
    SESSION_ERRORS.SESSION_ID_INVALID,
    `"${id}" can't be a session id: it may have letters, digits, "-", "_" and ".", begins and ends with a letter or digit, and has at most ${MAX_ID_LENGTH} characters`,
    { data: { id } },
  );
}

export interface ResolveOptions {
  cwd: string;
  /** Where an id is looked for first. */
  sessionDir: string;
  /** Looked through when `sessionDir` has no match: all projects' sessions are below it. */
  agentDir: string;
}

/**
 * The file that `--session`, `--fork` and the like mean: a path (absolute, with a slash, or ending in `.jsonl`; it need not
 * exist), or part of an id. A match at the beginning of ids goes before one within. Throws SESSION_NOT_FOUND and SESSION_AMBIGUOUS.
 */
export function resolveSessionArg(arg: string, options: ResolveOptions): string {
  if (isAbsolute(arg) || arg.endsWith('.jsonl') || /[/\\]/.test(arg)) return resolve(options.cwd, arg);
  const own = matching([options.sessionDir], arg);
  const found = own.length > 0 ? own : matching(projectDirs(options), arg);
  const [first] = found;
  if (first && found.length === 1) return first.path;
  if (found.length > 1) {
    const shown = found.slice(0, 10).map(({ id, path }) => `  ${id}  ${path}`);
    const more = found.length > shown.length ? [`  … and ${found.length - shown.length} more`] : [];
    throw new CodedError(
      SESSION_ERRORS.SESSION_AMBIGUOUS,
      [`"${arg}" is part of ${found.length} session ids; give more of it:`, ...shown, ...more].join('\n'),
      { data: { arg, ids: found.map(({ id }) => id) } },
    );
  }
  throw new CodedError(
    SESSION_ERRORS.SESSION_NOT_FOUND,
    `No session matches "${arg}". Looked in ${options.sessionDir} and below ${join(options.agentDir, 'sessions')}`,
    { data: { arg } },
  );
}

interface Match {
  id: string;
  path: string;
}

function matching(dirs: readonly string[], part: string): Match[] {
  const wanted = part.toLowerCase();
  const all = dirs.flatMap(newestFirst).flatMap(({ path, name }): Match[] => {
    const id = sessionIdOf(path, name);
    return id?.toLowerCase().includes(wanted) && wanted !== '' ? [{ id, path }] : [];
  });
  for (const better of [(id: string) => id === wanted, (id: string) => id.startsWith(wanted)]) {
    const some = all.filter(({ id }) => better(id.toLowerCase()));
    if (some.length > 0) return some;
  }
  return all;
}

/** Our own names tell the id; others (files given by path) have it in their header only. */
function sessionIdOf(path: string, name: string): string | undefined {
  return idInFileName(name) ?? readHeader(path)?.id;
}

function projectDirs({ agentDir, sessionDir }: Omit<ResolveOptions, 'cwd'>): string[] {
  const root = join(agentDir, 'sessions');
  return namesIn(root)
    .map((name) => join(root, name))
    .filter((dir) => dir !== sessionDir);
}

function newestFirst(dir: string): { path: string; name: string; modifiedMs: number }[] {
  const files: { path: string; name: string; modifiedMs: number }[] = [];
  for (const name of namesIn(dir)) {
    if (!name.endsWith('.jsonl')) continue;
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) files.push({ path, name, modifiedMs: stat.mtimeMs });
  }
  // Names begin with the time of the start: they decide between files of one moment.
  return files.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.name < b.name ? 1 : -1));
}

/** The directory's names; none when there is no such directory. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (isCoded(error, 'ENOENT') || isCoded(error, 'ENOTDIR')) return [];
    throw new CodedError(SESSION_ERRORS.SESSION_READ_FAILED, `Could not list the sessions in ${dir}`, {
      cause: error,
      data: { dir },
    });
  }
}
