import { type Capability, expandPlace, type HostPattern, type Places, parseCapability, parseHost } from './capabilities.js';

/** What one extension may do: what its user granted, with the places that are meant. */
export class Grants {
  /** As they were written. */
  readonly texts: readonly string[];
  /** What could not be understood, and is not granted. */
  readonly problems: readonly string[];
  readonly places: Places;
  readonly #all: readonly Capability[];
  readonly #home: string;

  constructor(texts: readonly string[], places: Places, home: string) {
    const parsed = texts.map((text) => ({ text, found: parseCapability(text) }));
    this.#all = parsed.flatMap(({ found }) => ('problem' in found ? [] : [found]));
    this.texts = this.#all.map(({ text }) => text);
    this.problems = parsed.flatMap(({ text, found }) => ('problem' in found ? [`"${text}": ${found.problem}`] : []));
    this.places = places;
    this.#home = home;
  }

  /** Whether one of these is granted: `ui`, `secrets:openai`. `net:*` and `exec:*` ask for any of the kind. */
  hasAny(...wanted: readonly string[]): boolean {
    return wanted.some((one) =>
      one === 'net:*' || one === 'exec:*'
        ? this.#values(one === 'net:*' ? 'net' : 'exec').length > 0
        : this.texts.includes(one) || (one.startsWith('secrets:') && this.texts.includes('secrets:*')),
    );
  }

  /** Host without brackets; the port as a number. */
  mayReach(host: string, port: number): boolean {
    return this.hostPattern(host, port) !== undefined;
  }

  /** The grant by which a host may be reached. */
  hostPattern(host: string, port: number): HostPattern | undefined {
    const wanted = host.toLowerCase().replace(/\.$/, '');
    return this.#values('net')
      .flatMap((value) => parseHost(value) ?? [])
      .find((pattern) => (pattern.port ?? port) === port && matchesHost(pattern.host, wanted));
  }

  /** The word of the program as the extension gives it: a grant for `git` is none for `/tmp/git`. */
  mayRun(command: string): boolean {
    return this.#values('exec').some((one) => one === '*' || one === command);
  }

  /** Names of variables. */
  get variables(): string[] {
    return this.#values('env');
  }

  /** Absolute files and folders, each with all that is in it. */
  get readable(): string[] {
    return this.#places('fs:read');
  }

  get writable(): string[] {
    return this.#places('fs:write');
  }

  #places(kind: 'fs:read' | 'fs:write'): string[] {
    return this.#values(kind).map((value) => expandPlace(value, this.places, this.#home));
  }

  #values(kind: Exclude<Capability['kind'], 'plain'>): string[] {
    return this.#all.flatMap((one) => (one.kind === kind ? [one.value] : []));
  }
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
