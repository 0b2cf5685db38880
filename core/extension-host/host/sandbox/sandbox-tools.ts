import { execFile } from 'node:child_process';

/** What this system has to keep a process apart with: commands to put in front of its own. */
export interface SandboxTools {
  /** No network, no other processes. */
  namespaces: [file: string, ...args: string[]] | undefined;
  /** Path of bubblewrap. */
  bubblewrap: string | undefined;
  /** The same with a file system of its own to be made by a shell inside. */
  mounts: [file: string, ...args: string[]] | undefined;
}

const PROBE_MS = 5_000;
const UNSHARE = ['--net', '--pid', '--fork', '--kill-child', '--ipc', '--uts'];

/** Best first. The last is what the promise needs: where not even that works, there is none. */
const NAMESPACES: readonly (readonly string[])[] = [
  ['--map-current-user', ...UNSHARE, '--mount-proc'],
  ['--map-root-user', ...UNSHARE, '--mount-proc'],
  ['--map-root-user', '--net', '--pid', '--fork', '--kill-child'],
];

let found: Promise<SandboxTools> | undefined;

/** Looks once in the life of this process. */
export function findSandboxTools(env: NodeJS.ProcessEnv): Promise<SandboxTools> {
  found ??= find(env);
  return found;
}

async function find(env: NodeJS.ProcessEnv): Promise<SandboxTools> {
  if (process.platform !== 'linux') return { namespaces: undefined, bubblewrap: undefined, mounts: undefined };
  const works = (file: string, args: readonly string[]): Promise<boolean> =>
    new Promise((resolve) => {
      execFile(file, [...args], { env: { PATH: env.PATH }, timeout: PROBE_MS }, (error) => resolve(error === null));
    });
  const firstOf = async (): Promise<SandboxTools['namespaces']> => {
    for (const args of NAMESPACES) if (await works('unshare', [...args, 'true'])) return ['unshare', ...args];
    return undefined;
  };
  const [namespaces, hasBubblewrap] = await Promise.all([
    firstOf(),
    works('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true']),
  ]);
  // Mounting needs to be root within.
  const mounting = ['--map-root-user', ...UNSHARE, '--mount'];
  const canMount =
    !hasBubblewrap &&
    (await works('unshare', [
      ...mounting,
      'sh',
      '-c',
      'mount -t tmpfs none /mnt && mount -t proc proc /proc && command -v pivot_root',
    ]));
  return { namespaces, bubblewrap: hasBubblewrap ? 'bwrap' : undefined, mounts: canMount ? ['unshare', ...mounting] : undefined };
}
