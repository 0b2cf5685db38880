import { spawnSync } from 'node:child_process';
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
      const [state, , group] = processFields(name);
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

/** State, parent, group and what follows, of Linux's `/proc/PID/stat`. Throws when the process is gone. */
function processFields(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // "pid (name) state parent group …"; the name may hold blanks and brackets.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Where the start time stands in {@link processFields}: field 22 of the whole, in clock ticks since the system's start. */
const START_FIELD = 19;
/** Flags of the kernel, field 9 of the whole; this one is set from the first step of a process's end on. */
const FLAGS_FIELD = 6;
const EXITING = 0x4;
/** SIGKILL's place in the masks of `/proc/PID/status`. */
const SIGKILL_BIT = 0x100n;
/** How far two ways of asking for a start time may differ where only seconds are told. */
const START_TOLERANCE_S = 2;

/**
 * When this process started, in a form that only {@link processState} reads: together with the pid it names one process, as pids
 * are used again. On Linux it counts from the start of the system, which is named too.
 */
export function ownStart(): string {
  if (process.platform === 'linux') {
    try {
      return `${bootId()}:${processFields(process.pid)[START_FIELD] ?? ''}`;
    } catch {
      // No /proc: the time by the clock, as elsewhere.
    }
  }
  return String(Math.round(performance.timeOrigin / 1000));
}

/**
 * Whether the process that had this pid and start time still runs. `ending`: it has been killed and will do no more than finish the
 * system call it is in. Where it can't be told, the process counts as running.
 */
export function processState(pid: number, start: string): 'running' | 'ending' | 'gone' {
  if (!Number.isInteger(pid) || pid < 1) return 'gone';
  if (!isThere(pid)) return 'gone';
  if (process.platform !== 'linux') return startedAt(pid, Number(start)) ? 'running' : 'gone';
  try {
    const fields = processFields(pid);
    const [state] = fields;
    if (state === 'Z' || state === 'X' || `${bootId()}:${fields[START_FIELD] ?? ''}` !== start) return 'gone';
    return (Number(fields[FLAGS_FIELD]) & EXITING) !== 0 || isKilled(pid) ? 'ending' : 'running';
  } catch {
    // Ended while we looked, or there is no /proc.
    return isThere(pid) ? 'running' : 'gone';
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody is there, of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isKilled(pid: number): boolean {
  const masks = readFileSync(`/proc/${pid}/status`, 'latin1').matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm);
  return [...masks].some(([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_BIT) !== 0n);
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    // Hidden in some containers; pid and ticks alone are nearly as good.
    return '';
  }
}

/** True when the process started at this second, or when it can't be told. */
function startedAt(pid: number, startSeconds: number): boolean {
  if (isWindows) return true;
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const told = Date.parse((stdout ?? '').trim()) / 1000;
  if (status !== 0 || Number.isNaN(told) || Number.isNaN(startSeconds)) return true;
  return Math.abs(told - startSeconds) <= START_TOLERANCE_S;
}
