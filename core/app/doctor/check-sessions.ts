import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isCoded, messageOf } from '../../base/coded-error.js';
import { sessionDirFor } from '../../session/locate.js';
import { readLock, stateOf } from '../../session/lock-file.js';
import { type DoctorPlace, type Finding, fail, ok, warn } from './finding.js';

/** The folder of sessions, and locks of processes that are gone. */
export function checkSessions(place: DoctorPlace, setting: string | undefined): Finding {
  const dir = sessionDirFor({ ...place, setting });
  try {
    const found = statSync(dir, { throwIfNoEntry: false });
    if (found && !found.isDirectory())
      return fail('sessions', `${dir} is no folder`, 'move it away, or name another with --session-dir');
    if (found) accessSync(dir, constants.W_OK | constants.X_OK);
    const left = [dir, ...otherFolders(place.agentDir, dir)].flatMap(leftLocks);
    const [first, ...more] = left;
    if (first === undefined) return ok('sessions', found ? dir : `${dir} is made with the first session`);
    const others = more.length === 0 ? '' : ` and of ${more.length} more`;
    const message = `The lock of ${first}${others} was left by a process that is gone`;
    return warn('sessions', message, `nothing has to be done: the next use takes it; or "pi session unlock ${first}"`);
  } catch (error) {
    return fail(
      'sessions',
      `Sessions can't be kept in ${dir}: ${messageOf(error)}`,
      `chmod u+rwx ${dir}, or name another with --session-dir`,
    );
  }
}

function otherFolders(agentDir: string, dir: string): string[] {
  const root = path.join(agentDir, 'sessions');
  return namesIn(root)
    .map((name) => path.join(root, name))
    .filter((one) => one !== dir);
}

/** Session files with a lock whose process is not there. */
function leftLocks(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.jsonl.lock'))
    .map((name) => path.join(folder, name))
    .filter((file) => {
      const lock = readLock(file);
      return lock !== undefined && stateOf(lock, hostname()) === 'stale';
    })
    .map((file) => file.slice(0, -'.lock'.length));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCoded(error, 'ENOENT') || isCoded(error, 'ENOTDIR')) return [];
    throw error;
  }
}
