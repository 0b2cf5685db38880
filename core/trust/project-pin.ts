import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, isCoded } from '../base/coded-error.js';
import { TRUST_ERRORS } from './errors.js';
import { type ProjectPlace, projectParts } from './project-parts.js';
import { readJsonObject, setInObject } from './trust-record.js';

/** What a project's files were when they were trusted: a digest for each, by path from the project's folder. */
export type PinContent = Readonly<Record<string, string>>;

export interface Pin {
  /** ISO time. */
  pinnedAt: string;
  files: PinContent;
}

export interface PinChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

/** More than anybody reads before trusting it. */
const MAX_FILES = 200_000;
/** Folders that get one digest for everything in them: nobody wants to read which of ten thousand files changed. */
const AS_ONE = new Set(['node_modules', 'npm', 'git']);
/** Sessions may be kept in `.pi`, and grow with each run. */
const GROWS = /\.jsonl(?:\.lock)?$/;
/** What an installation that is under way, or was cut off, leaves beside its target. */
const PASSING = /^(?:npm|git)\.(?:new|old)(?:-|$)|\.tmp$|^packages\.lock(?:\.|$)/;

/** Beside `trust.json`, which takes nothing but true, false and null. */
export function pinsFile(agentDir: string): string {
  return path.join(agentDir, 'trust-pins.json');
}

/** The pin of exactly this folder (a real path). Throws TRUST_FILE_INVALID. */
export function readPin(agentDir: string, folder: string): Pin | undefined {
  const pins = readJsonObject(pinsFile(agentDir));
  const pin: unknown = Object.hasOwn(pins, folder) ? pins[folder] : undefined;
  if (pin === undefined) return undefined;
  if (isPin(pin)) return pin;
  throw new CodedError(TRUST_ERRORS.TRUST_FILE_INVALID, `${pinsFile(agentDir)}: the pin of ${folder} is damaged`);
}

export async function writePin(agentDir: string, folder: string, pin: Pin | undefined): Promise<void> {
  await setInObject(pinsFile(agentDir), folder, pin);
}

/**
 * Digests of all that the project can bring: everything in `.pi` but session files, `.agents/skills`, and `more`, the places elsewhere
 * that its settings name. Links count with what they lead to. Throws PIN_TOO_LARGE and errors of the disk: a file that can't be read
 * can't be pinned.
 */
export async function pinContent(place: ProjectPlace, more: readonly string[]): Promise<PinContent> {
  const { cwd } = place;
  const dotPi = path.join(cwd, '.pi');
  const agents = projectParts(place).filter((part) => !part.path.startsWith(dotPi + path.sep));
  const walk = new Walk(cwd);
  for (const root of [dotPi, ...agents.map((part) => part.path), ...more]) await walk.add(root);
  return Object.fromEntries([...walk.digests].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function pinChanges(before: PinContent, now: PinContent): PinChanges {
  const names = Object.keys(now);
  return {
    added: names.filter((name) => !Object.hasOwn(before, name)),
    changed: names.filter((name) => Object.hasOwn(before, name) && before[name] !== now[name]),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(now, name)),
  };
}

/** One clause for a message, or undefined when nothing changed. */
export function describeChanges({ added, changed, removed }: PinChanges): string | undefined {
  const say = (names: readonly string[], what: string): string[] => {
    if (names.length === 0) return [];
    const shown = names.slice(0, 3).join(', ');
    return [`${what}: ${shown}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`];
  };
  const parts = [...say(changed, 'changed'), ...say(added, 'new'), ...say(removed, 'gone')];
  return parts.length === 0 ? undefined : parts.join('; ');
}

class Walk {
  readonly digests = new Map<string, string>();
  readonly #base: string;
  readonly #seen = new Set<string>();
  #files = 0;

  constructor(base: string) {
    this.#base = base;
  }

  async add(target: string): Promise<void> {
    const found = await statOrGone(target);
    if (!found) return;
    if (found.isFile()) this.digests.set(this.#name(target), await this.#fileDigest(target));
    else if (found.isDirectory()) await this.#folder(target);
  }

  async #folder(folder: string): Promise<void> {
    if (!(await this.#isNew(folder))) return;
    for (const name of await namesIn(folder)) {
      const target = path.join(folder, name);
      if (!AS_ONE.has(name)) await this.add(target);
      else if (await statOrGone(target)) {
        const hash = createHash('sha256');
        await this.#whole(target, name, hash);
        this.digests.set(`${this.#name(target)}/`, digestOf(hash));
      }
    }
  }

  /** Everything below `target` into one digest. */
  async #whole(target: string, name: string, hash: Hash): Promise<void> {
    const found = await statOrGone(target);
    if (found?.isFile()) hash.update(`${name}\0${await this.#fileDigest(target)}\n`);
    if (!found) hash.update(`${name}\0-> ${await readlink(target).catch(() => '')}\n`);
    if (!found?.isDirectory() || !(await this.#isNew(target))) return;
    for (const inner of await namesIn(target)) await this.#whole(path.join(target, inner), `${name}/${inner}`, hash);
  }

  async #isNew(folder: string): Promise<boolean> {
    const real = await realpath(folder);
    if (this.#seen.has(real)) return false;
    this.#seen.add(real);
    return true;
  }

  #name(target: string): string {
    return path.relative(this.#base, target).split(path.sep).join('/');
  }

  async #fileDigest(file: string): Promise<string> {
    this.#files += 1;
    if (this.#files > MAX_FILES) {
      const message = `${this.#base} brings more than ${MAX_FILES} files; that is too much to pin`;
      throw new CodedError(TRUST_ERRORS.PIN_TOO_LARGE, message);
    }
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return digestOf(hash);
  }
}

function digestOf(hash: Hash): string {
  return `sha256-${hash.digest('base64')}`;
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name !== '.git' && !GROWS.test(name) && !PASSING.test(name)).sort();
}

/** Undefined for what is not there: a link that leads nowhere is nothing that could load. */
async function statOrGone(target: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(target);
  } catch (error) {
    if (isCoded(error, 'ENOENT') || isCoded(error, 'ENOTDIR') || isCoded(error, 'ELOOP')) return undefined;
    throw error;
  }
}

function isPin(value: unknown): value is Pin {
  if (typeof value !== 'object' || value === null) return false;
  const files: unknown = Reflect.get(value, 'files');
  return (
    typeof Reflect.get(value, 'pinnedAt') === 'string' &&
    typeof files === 'object' &&
    files !== null &&
    Object.values(files).every((digest) => typeof digest === 'string')
  );
}
