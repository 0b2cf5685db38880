import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../../base/coded-error.js';
import type { Grants } from '../../../trust/grants.js';
import { BOUNDARY_ERRORS } from '../../contract/errors.js';
import type { SandboxStart } from '../../contract/sandbox.js';
import { NODE_FLAGS } from '../host-process.js';
import { bubblewrapArguments, unshareMountArguments } from './isolation.js';
import { sandboxEnvironment } from './sandbox-environment.js';
import { findSandboxTools, type SandboxTools } from './sandbox-tools.js';
import { type Visible, visiblePlaces } from './visible-places.js';

export interface LaunchRequest {
  level: 'restricted' | 'isolated';
  name: string;
  /** The prebuilt `restricted.js`. */
  entry: string;
  grants: Grants;
  heapMb: number;
  cwd: string;
  env: NodeJS.ProcessEnv;
  start: SandboxStart;
}

export interface Launch {
  command: [file: string, ...args: string[]];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** What is less than the level promises, for people. */
  warnings: string[];
}

/** How the process of an extension is started. Throws `SANDBOX_UNAVAILABLE` when the level can't be had here. */
export async function planLaunch(request: LaunchRequest): Promise<Launch> {
  const { level, name, entry, grants, cwd, env, start } = request;
  const { data } = grants.places;
  if (start.auditFile !== undefined) {
    const command: Launch['command'] = [process.execPath, ...NODE_FLAGS, entry, JSON.stringify(start)];
    return { command, env, cwd, warnings: [] };
  }
  mkdirSync(path.join(data, 'tmp'), { recursive: true, mode: 0o700 });
  const visible = visiblePlaces(entry, grants);
  const node: [string, ...string[]] = [
    process.execPath,
    ...NODE_FLAGS,
    `--max-old-space-size=${request.heapMb}`,
    ...permissionFlags(visible, grants),
    entry,
    JSON.stringify(start),
  ];
  const tools = await findSandboxTools(env);
  const warnings = ['native', 'workers']
    .filter((one) => grants.hasAny(one))
    .map((one) => `The extension ${name} is granted "${one}": with it, nothing but the system keeps it from files`);
  const wrapped = level === 'isolated' ? isolated(node, visible, cwd, tools) : restricted(node, name, tools, warnings);
  return { command: wrapped, env: sandboxEnvironment(env, grants), cwd, warnings };
}

function restricted(
  node: [string, ...string[]],
  name: string,
  { namespaces }: SandboxTools,
  warnings: string[],
): Launch['command'] {
  if (namespaces) return [...namespaces, ...node];
  warnings.push(
    `The restricted extension ${name} runs without a network namespace, which this system does not offer: that it reaches no network and no other process is best effort only`,
  );
  return node;
}

function isolated(
  node: [string, ...string[]],
  visible: Visible,
  cwd: string,
  { bubblewrap, mounts }: SandboxTools,
): Launch['command'] {
  if (bubblewrap) return [bubblewrap, ...bubblewrapArguments(visible, cwd), '--', ...node];
  if (mounts) return [...mounts, ...unshareMountArguments(visible, cwd), ...node];
  throw new CodedError(
    BOUNDARY_ERRORS.NO_SANDBOX,
    'This system can isolate nothing: install bubblewrap (the Debian package "bubblewrap"), or allow user namespaces',
  );
}

function permissionFlags({ readable, writable }: Visible, grants: Grants): string[] {
  const known = process.allowedNodeEnvironmentFlags;
  return [
    known.has('--permission') ? '--permission' : '--experimental-permission',
    ...(known.has('--experimental-sqlite') ? ['--no-experimental-sqlite'] : []),
    ...unique(readable.flatMap(forPermission)).map((place) => `--allow-fs-read=${place}`),
    ...unique(writable.flatMap(forPermission)).map((place) => `--allow-fs-write=${place}`),
    ...(grants.hasAny('native') ? ['--allow-addons'] : []),
    ...(grants.hasAny('workers') ? ['--allow-worker'] : []),
    ...(grants.hasAny('eval') ? [] : ['--disallow-code-generation-from-strings']),
  ];
}

/** Node adds the star to a folder that is there, and does not survive being given the same place twice (20). */
function forPermission(place: string): string[] {
  const inside = place === '/' ? '/*' : `${place}/*`;
  const kind = statSync(place, { throwIfNoEntry: false });
  if (kind?.isDirectory()) return [inside];
  return kind ? [place] : [place, inside];
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];
