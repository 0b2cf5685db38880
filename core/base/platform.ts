import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Every difference between operating systems that the program knows about. The rest of the code is written for POSIX and asks here.
 * Windows has neither process groups nor `/bin/sh`; there only the process itself is signalled.
 */
export const isWindows = process.platform === 'win32';

/** True for a file this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing and forbidden come to the same thing for the one who asks.
    return false;
  }
}

/** The shell for `shell -c command`: bash where there is one, because models write bash, else the system's own. */
export function defaultShell(env: NodeJS.ProcessEnv): string {
  const names = isWindows ? ['bash.exe'] : ['bash'];
  const folders = [...(isWindows ? [] : ['/bin', '/usr/bin', '/usr/local/bin']), ...(env.PATH ?? '').split(delimiter)];
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if (folder && isExecutable(path)) return path;
    }
  }
  return isWindows ? 'bash.exe' : '/bin/sh';
}

/**
 * How to start `command` in `shell` with stdout and stderr in one pipe. Two pipes are read in an order of their own, which shuffles
 * the lines of the two; so a system shell joins them and then becomes the wanted shell (same process, `$0` and line numbers intact).
 */
export function shellInvocation(shell: string, command: string): { file: string; args: string[] } {
  if (isWindows) return { file: shell, args: ['-c', command] };
  return { file: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', shell, '-c', command] };
}

/** Whether a child should be started as the leader of its own process group. */
export const startsOwnGroup = !isWindows;

/** Signals the whole group that `leaderPid` leads. False when nobody is left in it. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  return sendTo(leaderPid, signal);
}

/** True while any process of the group runs. */
export function groupIsAlive(leaderPid: number): boolean {
  if (!sendTo(leaderPid, 0)) return false;
  return process.platform !== 'linux' || hasLiveMember(leaderPid);
}

/**
 * Signals also reach the dead whose parent did not ask for them yet. In a container whose first process never asks they stay for ever, so
 * the states are looked up. Costs some milliseconds; true when it cannot be told.
 */
function hasLiveMember(groupId: number): boolean {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    // No /proc here: believe the signal.
    return true;
  }
  return names.some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // "pid (name) state parent group …"; the name may hold blanks and brackets.
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(group) === groupId && state !== 'Z' && state !== 'X';
    } catch {
      // Gone since the folder was listed.
      return false;
    }
  });
}

function sendTo(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and 1 would address our own group and every process of the user.
  if (!Number.isInteger(leaderPid) || leaderPid <= 1) return false;
  try {
    process.kill(isWindows ? leaderPid : -leaderPid, signal);
    return true;
  } catch (error) {
    // EPERM: somebody is there who changed their user; ESRCH: nobody is.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
