import { join } from 'node:path';

/** A session file's name: its start time and id. Source: transcripts; `2025-01-01T00-00-00-000Z_<id>.jsonl`. */
export function sessionFileName(started: Date, id: string): string {
  return `${started.toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
}

const FILE_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)\.jsonl$/;

/** The session id in a file name of our making, else undefined. */
export function idInFileName(name: string): string | undefined {
  return FILE_NAME.exec(name)?.[1];
}

/** The directory of a working directory's sessions below `<agentDir>/sessions`. Source: transcripts. */
export function projectSessionDir(agentDir: string, cwd: string): string {
  return join(agentDir, 'sessions', `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`);
}
