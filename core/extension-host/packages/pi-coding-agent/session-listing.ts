import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCoded } from '../../../base/coded-error.js';
import type { StoredEntry } from '../../../protocol/commands/session.js';
import { storedText } from '../../../session/stored-message.js';
import { readSessionFile } from './session-file-io.js';

/** One line of a list of sessions. Source: observed, 0.84.0. */
export interface SessionInfo {
  path: string;
  id: string;
  cwd: string;
  name?: string;
  parentSessionPath?: string;
  created: Date;
  modified: Date;
  messageCount: number;
  firstMessage: string;
  /** What was said by both sides, for searching. */
  allMessagesText: string;
}

export type SessionListProgress = (loaded: number, total: number) => void;

/** Sessions in a directory, newest first; those of `cwd` only when it is given, as a directory may be shared. */
export async function listSessionInfos(dir: string, cwd?: string, onProgress?: SessionListProgress): Promise<SessionInfo[]> {
  const infos = await readAll(await sessionFiles(dir), onProgress);
  return cwd === undefined ? infos : infos.filter((info) => info.cwd === cwd);
}

/** Sessions of all projects, newest first. */
export async function listAllSessionInfos(agentDir: string, onProgress?: SessionListProgress): Promise<SessionInfo[]> {
  const root = join(agentDir, 'sessions');
  const files = await Promise.all((await namesIn(root)).map((name) => sessionFiles(join(root, name))));
  return readAll(files.flat(), onProgress);
}

async function sessionFiles(dir: string): Promise<string[]> {
  return (await namesIn(dir)).filter((name) => name.endsWith('.jsonl')).map((name) => join(dir, name));
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isCoded(error, 'ENOENT') || isCoded(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function readAll(files: readonly string[], onProgress: SessionListProgress | undefined): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for (const [at, path] of files.entries()) {
    const info = await readInfo(path);
    if (info) infos.push(info);
    onProgress?.(at + 1, files.length);
  }
  return infos.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** Undefined for what is no session, or can't be read: it is not in the list. */
async function readInfo(path: string): Promise<SessionInfo | undefined> {
  try {
    const { mtime } = await stat(path);
    const { header, entries } = readSessionFile(path, { readOnly: true });
    if (!header) return undefined;
    const messages = entries.filter(({ type }) => type === 'message');
    const name = entries.findLast(({ type }) => type === 'session_info')?.name;
    const first = messages.find((entry) => roleOf(entry) === 'user');
    const spoken = messages.filter((entry) => ['user', 'assistant'].includes(roleOf(entry)));
    const created = new Date(header.timestamp);
    return {
      path,
      id: header.id,
      cwd: header.cwd,
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      ...(header.parentSession === undefined ? {} : { parentSessionPath: header.parentSession }),
      created: Number.isNaN(created.getTime()) ? mtime : created,
      modified: lastTime(spoken) ?? mtime,
      messageCount: messages.length,
      firstMessage: (first && storedText(first)) || '(no messages)',
      allMessagesText: spoken.map(storedText).filter(Boolean).join(' '),
    };
  } catch (error) {
    if (isCoded(error)) return undefined;
    throw error;
  }
}

function roleOf({ message }: StoredEntry): string {
  const role = typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
  return typeof role === 'string' ? role : '';
}

/** When somebody last said something: a later look at a file must not make it newer. */
function lastTime(messages: readonly StoredEntry[]): Date | undefined {
  const message = messages.at(-1)?.message;
  const at = typeof message === 'object' && message !== null && 'timestamp' in message ? message.timestamp : undefined;
  return typeof at === 'number' && at > 0 ? new Date(at) : undefined;
}
