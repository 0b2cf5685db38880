import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, isCoded } from '../../base/coded-error.js';
import { isPlainObject } from '../../resources/setting-kinds.js';
import { APP_ERRORS } from '../errors.js';
import { isHostPackage } from './host-packages.js';
import { isNpmLock, type NpmLock } from './packages-lock.js';
import { endOf, type PackageTools, runTool } from './run-tool.js';

/** Two tries more, soon: a person waits, and without a network it is said at once. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=300', '--fetch-retry-maxtimeout=1500'];
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=error'];

/**
 * Runs `npm install` on the project in `root`, with `specs` added to it. Peers are not npm's to add: those the host serves must not be
 * there. `what` is for messages; `fresh`: what npm remembers of versions is not enough. Throws what {@link fetchError} makes of a failure.
 */
export async function npmInstall(
  root: string,
  specs: readonly string[],
  { what, fresh = false }: { what: string; fresh?: boolean },
  tools: PackageTools,
): Promise<void> {
  const { npmCommand, env, allowScripts, offline, progress, signal } = tools;
  const scripts = allowScripts ? '--no-ignore-scripts' : '--ignore-scripts';
  const network = offline ? '--offline' : fresh ? '--prefer-online' : '--prefer-offline';
  const options = ['--prefix', root, scripts, '--legacy-peer-deps', '--omit=dev', '--save-exact', network, ...RETRIES, ...QUIET];
  const command = [...npmCommand, 'install', ...specs, ...options];
  // Its errors come with ours, once.
  const tell = (line: string): void => (line.startsWith('npm error') ? undefined : progress(line));
  const { code, stderr } = await runTool({ command, cwd: root, env: npmEnv(env), signal, onLine: tell });
  if (code !== 0) throw fetchError(what, stderr, npmCommand.join(' '), offline);
}

/** The `packages` of the lock file that npm wrote in `root`, without the project itself. */
export async function readNpmLock(root: string): Promise<NpmLock> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return {};
    throw error;
  }
  const packages: unknown = isPlainObject(value) ? value.packages : undefined;
  if (!isNpmLock(packages)) return {};
  return Object.fromEntries(Object.entries(packages).filter(([key]) => key !== ''));
}

/** Peers that packages of the lock need, that nobody serves, and that are not there: as `name@range`. */
export function missingPeers(lock: NpmLock): string[] {
  const missing = peersOf(lock).filter(({ key, name }) => !isResolved(lock, key, name));
  return [...new Map(missing.map(({ name, range }) => [name, `${name}@${range}`])).values()];
}

/** Names of all peers that packages of the lock need and that nobody serves. */
export function neededPeers(lock: NpmLock): Set<string> {
  return new Set(peersOf(lock).map(({ name }) => name));
}

function peersOf(lock: NpmLock): { key: string; name: string; range: string }[] {
  return Object.entries(lock).flatMap(([key, entry]) => {
    const peers = isPlainObject(entry.peerDependencies) ? entry.peerDependencies : {};
    const meta = isPlainObject(entry.peerDependenciesMeta) ? entry.peerDependenciesMeta : {};
    return Object.entries(peers).flatMap(([name, range]) => {
      const about = meta[name];
      const isOptional = isPlainObject(about) && about.optional === true;
      return isOptional || isHostPackage(name) || typeof range !== 'string' ? [] : [{ key, name, range }];
    });
  });
}

/** Whether a package at `key` finds `name` in a node_modules of its own or above it. */
function isResolved(lock: NpmLock, key: string, name: string): boolean {
  for (let at = key; ; ) {
    if (Object.hasOwn(lock, `${at === '' ? '' : `${at}/`}node_modules/${name}`)) return true;
    if (at === '') return false;
    at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')));
  }
}

/** What this program was started with by npm must not steer another run of npm. */
function npmEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours =
    /^npm_(?:config_(?:prefix|local_prefix|global|global_prefix|dry_run|package_lock_only)|lifecycle_|package_|command$|execpath$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;
const NO_GIT_NETWORK =
  /Could not resolve host|Failed to connect|Connection (?:refused|timed out)|unable to connect|Network is unreachable/i;
const NO_SUCH =
  /\b(?:E404|ETARGET)\b|Repository not found|repository '.*' not found|does not appear to be a git repository|couldn't find remote ref|invalid reference|does not exist/i;

/** Of what a tool says, as many lines as say why. */
const MAX_LINES = 4;

/** The error for a tool that failed, told apart by what it said. */
export function fetchError(what: string, said: string, tool: string, offline: boolean): CodedError {
  const lines = said.split('\n').map((line) => line.replace(/^npm error ?/, ''));
  const noise =
    /^(?:A complete log of this run|code \w+$|errno |syscall |\d{3}\s*$|\d{3} {2}|\d{3} Note that| +at |type: |\s*[{}]?$)/;
  const details = endOf(
    [...new Set(lines)]
      .filter((line) => !noise.test(line))
      .slice(0, MAX_LINES)
      .join('\n'),
    MAX_LINES,
  );
  const because = details === '' ? '' : `\n  ${details}`;
  const failed = (code: string, why: string): CodedError =>
    new CodedError(code, `${what} was not fetched: ${why}${because}`, { data: { what } });
  if (/\bEINTEGRITY\b/.test(said))
    return failed(APP_ERRORS.PACKAGE_INTEGRITY, 'its content is not what the lock file or the registry promises');
  if (offline && /\bENOTCACHED\b/.test(said))
    return failed(APP_ERRORS.PACKAGE_OFFLINE, 'the network may not be used (--offline or PI_OFFLINE), and npm has no copy of it');
  if (NO_NETWORK.test(said) || NO_GIT_NETWORK.test(said))
    return failed(APP_ERRORS.PACKAGE_OFFLINE, 'there is no way to its server; packages that are installed go on working');
  if (NO_SUCH.test(said)) return failed(APP_ERRORS.PACKAGE_NOT_FOUND, 'there is no such package, version, repository or ref');
  return failed(APP_ERRORS.PACKAGE_FETCH_FAILED, `${tool} failed`);
}
