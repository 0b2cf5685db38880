import path from 'node:path';
import { CodedError } from '../../base/coded-error.js';
import { expandHome } from '../agent-dir.js';
import { RESOURCE_ERRORS } from '../errors.js';

/** Where a package comes from, as a settings file or the command line names it. */
export type PackageSource = NpmSource | GitSource | PathSource;

interface Named {
  /** As it was written, without blanks around it. */
  text: string;
  /** Two sources with the same identity are one package. Source: "Packages", Scope and Deduplication. */
  identity: string;
}

export interface NpmSource extends Named {
  kind: 'npm';
  name: string;
  /** Version, range or tag; undefined for the latest. */
  spec: string | undefined;
}

export interface GitSource extends Named {
  kind: 'git';
  /** What git is given. */
  url: string;
  /** Branch, tag or commit; undefined for the repository's default branch. */
  ref: string | undefined;
  /** Path below the folder of git packages: host, then the path of the repository. */
  folder: readonly string[];
}

export interface PathSource extends Named {
  kind: 'path';
  /** Absolute. */
  path: string;
}

/** Not with a dash in front: npm would take it for an option. */
const NPM_NAME = /^(?:@[\w~][\w.~-]*\/)?[\w~][\w.~-]*$/;
const NPM_SPEC = /^[\w.^~<>=*|+\- ]+$/;
const URL_SHAPE = /^(https?|ssh|git|file):\/\//;
/** What git takes as a branch, tag or commit, and no option. */
const REF = /^(?!-)[\w./+@~^-]+$/;

/**
 * Reads `npm:name[@version]`, `git:host/path[@ref]`, `git:user@host:path[@ref]`, a URL with `[@ref]` or `[#ref]`, or a path, which
 * counts from `baseDir`. Throws PACKAGE_SOURCE_INVALID. Source: "Packages", Package Sources; `#ref` and `git:file://` are ours.
 */
export function parsePackageSource(text: string, baseDir: string, home: string): PackageSource {
  const source = text.trim();
  if (source === '' || /\p{Cc}/u.test(source)) throw invalid(source, 'it is empty or holds control characters');
  if (source.startsWith('npm:')) return npmSource(source);
  if (source.startsWith('git:') && !source.startsWith('git://')) return gitSource(source, source.slice(4));
  if (URL_SHAPE.test(source) && !source.startsWith('file:')) return gitSource(source, source);
  const target = source.startsWith('file://') ? source.slice('file://'.length) : source;
  const absolute = path.resolve(baseDir, expandHome(target, home));
  return { kind: 'path', text: source, identity: `path:${absolute}`, path: absolute };
}

/** Whether such a source is fetched, not just looked at. */
export function isFetched(source: PackageSource): source is NpmSource | GitSource {
  return source.kind !== 'path';
}

/** The same of a text, which need not name any package. */
export function isFetchedText(text: string): boolean {
  return /^(?:npm|git):/.test(text) || (URL_SHAPE.test(text) && !text.startsWith('file:'));
}

function npmSource(text: string): NpmSource {
  const rest = text.slice('npm:'.length).trim();
  const at = rest.indexOf('@', 1);
  const name = at < 0 ? rest : rest.slice(0, at);
  const spec = at < 0 ? undefined : rest.slice(at + 1);
  if (!NPM_NAME.test(name) || name.includes('..')) throw invalid(text, `"${name}" is no name of an npm package`);
  if (spec !== undefined && (!NPM_SPEC.test(spec) || spec.startsWith('-')))
    throw invalid(text, `"${spec}" is no version, range or tag`);
  return { kind: 'npm', text, identity: `npm:${name}`, name, spec };
}

function gitSource(text: string, location: string): GitSource {
  const { base, repository, ref } = splitRef(location);
  if (ref !== undefined && !REF.test(ref)) throw invalid(text, `"${ref}" is no branch, tag or commit`);
  const segments = repository
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter((segment) => segment !== '');
  const host = hostOf(base);
  const isPlain = [host, ...segments].every((part) => /^[^\s\\-][^\s\\]*$/.test(part) && part !== '.' && part !== '..');
  if (host === '' || segments.length === 0 || !isPlain) throw invalid(text, 'it must name a host and a repository on it');
  const url = URL_SHAPE.test(location) || base.includes('@') ? `${base}${repository}` : `https://${base}${repository}`;
  const folder = [host.toLowerCase(), ...segments];
  return { kind: 'git', text, identity: `git:${folder.join('/')}`, url, ref, folder };
}

/** `base` ends where the path of the repository begins: after the host, or at the colon of `git@host:path`. */
function splitRef(location: string): { base: string; repository: string; ref: string | undefined } {
  const base = /^(?:\w+:\/\/[^/]*(?:\/|$)|[^/:]+@[^/:]+:|[^/:]+(?::\d+)?\/)/.exec(location)?.[0] ?? '';
  const rest = location.slice(base.length);
  // A name of a repository has neither sign; a ref may have slashes.
  const at = rest.search(/[@#]/);
  if (at < 0) return { base, repository: rest, ref: undefined };
  return { base, repository: rest.slice(0, at), ref: rest.slice(at + 1) };
}

function hostOf(base: string): string {
  if (base.startsWith('file:')) return 'file';
  const authority = base.replace(/^\w+:\/\//, '').replace(/[/:]$/, '');
  return authority.slice(authority.lastIndexOf('@') + 1);
}

function invalid(source: string, why: string): CodedError {
  return new CodedError(RESOURCE_ERRORS.PACKAGE_SOURCE_INVALID, `"${source}" names no package: ${why}`);
}
