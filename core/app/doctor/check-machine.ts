import { accessSync, constants, existsSync, mkdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { isCoded, messageOf } from '../../base/coded-error.js';
import { findSandboxTools } from '../../extension-host/host/sandbox/sandbox-tools.js';
import { sessionDirFor } from '../../session/locate.js';
import { type DoctorPlace, type Finding, fail, ok, warn } from './finding.js';

const LEAST_NODE = [20, 19] as const;
/** Of users, sessions and caches: below this there is soon nothing to write to. */
const LITTLE_BYTES = 500 * 1024 * 1024;
const NO_BYTES = 20 * 1024 * 1024;

/** `version` as in `process.versions.node`. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return ok('node', `Node.js ${version}`);
  return fail('node', `Node.js ${version} is too old`, `install Node.js ${leastMajor}.${leastMinor} or later`);
}

/** The agent's folder and the file of keys are for their owner. Look before keys are read: reading takes rights away. */
export function checkFolders({ agentDir }: DoctorPlace): Finding[] {
  const found = statOf(agentDir);
  if (typeof found === 'string')
    return [fail('agent folder', `${agentDir} can't be looked at: ${found}`, `look at what is there`)];
  if (!found) return [ok('agent folder', `${agentDir} is not there yet; it is made when something is kept`)];
  if (!found.isDirectory()) return [fail('agent folder', `${agentDir} is no folder`, `move it away, or set PI_CODING_AGENT_DIR`)];
  const folder = canWrite(agentDir)
    ? openness(found, 0o022)
      ? warn('agent folder', `${agentDir} can be written to by others (mode ${modeOf(found)})`, `chmod go-w ${agentDir}`)
      : ok('agent folder', agentDir)
    : fail('agent folder', `${agentDir} can't be written to`, `chmod u+rwx ${agentDir}`);
  const keys = path.join(agentDir, 'auth.json');
  const auth = statOf(keys);
  if (typeof auth === 'string') return [folder, fail('keys', `${keys} can't be looked at: ${auth}`, 'look at what is there')];
  if (!auth) return [folder, ok('keys', `no ${keys}: keys come from the environment, or from "pi auth set"`)];
  const isOpen = openness(auth, 0o077);
  return [
    folder,
    isOpen
      ? fail('keys', `others can read or write ${keys} (mode ${modeOf(auth)})`, `chmod 600 ${keys}, and replace the keys in it`)
      : ok('keys', `${keys} is for its owner only`),
  ];
}

export function checkCache({ env, home }: DoctorPlace): Finding {
  const folder = path.join(env.XDG_CACHE_HOME || path.join(home, '.cache'), 'pi-platform');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return ok('cache', folder);
  } catch (error) {
    return warn(
      'cache',
      `${folder} can't be written to, so extensions are compiled at each start: ${messageOf(error)}`,
      'make it writable, or set XDG_CACHE_HOME',
    );
  }
}

export function checkProxy(env: NodeJS.ProcessEnv, setting: string | undefined): Finding {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const given = names.flatMap((name) => (env[name] ? [{ name, value: env[name] }] : []));
  if (setting && given.length === 0) given.push({ name: 'the setting httpProxy', value: setting });
  if (given.length === 0) return ok('proxy', 'none');
  for (const { name, value } of given) {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    // The value may hold a password: it is not repeated.
    if (!url || !/^https?:$/.test(url.protocol))
      return fail('proxy', `${name} is no http or https address: no request gets out`, `correct or remove ${name}`);
  }
  const shown = given.map(({ name, value }) => `${name} ${new URL(value).host}`).join(', ');
  return ok('proxy', `${shown}${env.NO_PROXY || env.no_proxy ? `; not for ${env.NO_PROXY || env.no_proxy}` : ''}`);
}

/** What extensions that are not trusted can be kept apart with. */
export async function checkSandbox(env: NodeJS.ProcessEnv): Promise<Finding> {
  const { namespaces, bubblewrap, mounts } = await findSandboxTools(env);
  const flags = process.allowedNodeEnvironmentFlags;
  const means = [
    flags.has('--permission') || flags.has('--experimental-permission') ? "Node's permission model" : '',
    namespaces ? 'unshare' : '',
    bubblewrap ? 'bwrap' : '',
    mounts ? 'unshare with mounts' : '',
  ].filter((one) => one !== '');
  const shown = means.join(', ') || 'nothing';
  if (!bubblewrap && !mounts) {
    const message = `${shown}: an extension of the level "isolated" does not start here`;
    return warn(
      'sandbox',
      message,
      process.platform === 'linux' ? 'install bubblewrap, or allow user namespaces' : 'use Linux for it',
    );
  }
  if (!namespaces) return warn('sandbox', `${shown}: restricted extensions may reach the network`, 'allow user namespaces');
  return ok('sandbox', shown);
}

/** Of the places that are written to. */
export function checkDisk(place: DoctorPlace, sessionDirSetting: string | undefined): Finding {
  const { agentDir, home, env } = place;
  const sessions = sessionDirFor({ ...place, setting: sessionDirSetting });
  const cache = env.XDG_CACHE_HOME || path.join(home, '.cache');
  let least: { folder: string; bytes: number } | undefined;
  for (const folder of [agentDir, sessions, cache].map(nearestThatExists)) {
    try {
      const { bavail, bsize } = statfsSync(folder);
      if (!least || bavail * bsize < least.bytes) least = { folder, bytes: bavail * bsize };
    } catch (error) {
      return warn('disk', `The space at ${folder} is not known: ${messageOf(error)}`, 'look at it with df');
    }
  }
  if (!least) return ok('disk', 'nothing to look at');
  const message = `${inWords(least.bytes)} free at ${least.folder}`;
  if (least.bytes < NO_BYTES) return fail('disk', message, 'make room: sessions can not be kept');
  return least.bytes < LITTLE_BYTES ? warn('disk', message, 'make room before sessions can not be kept') : ok('disk', message);
}

function nearestThatExists(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : nearestThatExists(path.dirname(folder));
}

function inWords(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : `${Math.floor(bytes / 1024 ** 2)} MB`;
}

/** Windows has no such rights. */
const openness = (stat: Stats, rights: number): boolean => process.platform !== 'win32' && (stat.mode & rights) !== 0;
const modeOf = (stat: Stats): string => (stat.mode & 0o777).toString(8).padStart(4, '0');

function statOf(file: string): Stats | string | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    return isCoded(error, 'ENOTDIR') ? undefined : messageOf(error);
  }
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // That is the answer.
    return false;
  }
}
