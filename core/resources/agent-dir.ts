import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The user's home directory: `HOME` when set, as everywhere else on the command line. */
export function homeDir(env: Env): string {
  return env.HOME || homedir();
}

/** `~` and `~/x` with the home directory put in; `~other` and everything else as it is. */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path;
}

/**
 * Absolute path of the directory that holds settings, keys, sessions and the user's resources. It need not exist.
 * Source: "Environment Variables", `PI_CODING_AGENT_DIR`.
 */
export function agentDir(env: Env, cwd: string = process.cwd()): string {
  const home = homeDir(env);
  const asked = env.PI_CODING_AGENT_DIR?.trim();
  return asked ? resolve(cwd, expandHome(asked, home)) : join(home, '.pi', 'agent');
}
