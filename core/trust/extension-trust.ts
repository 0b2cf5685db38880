import { realpathSync } from 'node:fs';
import path from 'node:path';

export const TRUST_LEVELS = ['trusted', 'restricted', 'isolated'] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** Limits a user may set for one extension. */
export interface ExtensionLimits {
  heapMb?: number;
  /** For each handler of a hook. */
  hookMs?: number;
  loadMs?: number;
  blockMs?: number;
}

export interface TrustDecision {
  level: TrustLevel;
  /** Capabilities the user granted, as written; a trusted extension needs none. */
  grants: string[];
  limits: ExtensionLimits;
  /** Not in the shared worker from the start. */
  own?: 'worker' | 'process';
  /** What the settings say that can't be meant, each a sentence for people. The extension runs restricted then. */
  problems: string[];
}

/** An extension as settings may name it. */
export interface NamedExtension {
  path: string;
  packageFolder: string | undefined;
  /** `npm:@foo/bar@1.2.0`, `git:…`, `local`. */
  source: string;
  scope: string;
}

type Fields = Readonly<Record<string, unknown>>;

const LIMITS = ['heapMb', 'hookMs', 'loadMs', 'blockMs'] as const;

/**
 * The level of an extension, and what it may do. What the user's settings say of it by name counts first, then `project` for those of a project,
 * then `default`. A project's own settings only lower a level. What can't be understood lowers it too, and never raises it.
 */
export function decideExtensionTrust(extension: NamedExtension, user: unknown, project: unknown, home: string): TrustDecision {
  const problems: string[] = [];
  const own = decide(extension, user, home, problems);
  const theirs = decide(extension, project, home, problems);
  const level = lower(own.level, theirs.level);
  return { ...own, level, problems };
}

/** JSON Schema of the setting. */
export const EXTENSION_TRUST_SCHEMA = {
  type: 'object',
  properties: {
    default: { enum: TRUST_LEVELS, description: 'Level of extensions that nothing else is said of.' },
    project: { enum: TRUST_LEVELS, description: 'Level of extensions that a trusted project brings.' },
    overrides: {
      type: 'object',
      description: 'Levels by absolute path of the file or its package, or by "npm:name".',
      additionalProperties: {
        anyOf: [
          { enum: TRUST_LEVELS },
          {
            type: 'object',
            properties: {
              level: { enum: TRUST_LEVELS },
              grants: { type: 'array', items: { type: 'string' }, description: 'Capabilities, as docs/security.md lists them.' },
              limits: {
                type: 'object',
                properties: Object.fromEntries(LIMITS.map((name) => [name, { type: 'integer', minimum: 1 }])),
                additionalProperties: false,
              },
              ownWorker: {
                anyOf: [{ type: 'boolean' }, { enum: ['worker', 'process'] }],
                description: 'A trusted extension gets a worker, or a process, of its own.',
              },
            },
            additionalProperties: false,
          },
        ],
      },
    },
  },
  additionalProperties: false,
} as const;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function decide(extension: NamedExtension, setting: unknown, home: string, problems: string[]): Omit<TrustDecision, 'problems'> {
  const trusted = { level: 'trusted' as TrustLevel, grants: [], limits: {} };
  if (setting === undefined) return trusted;
  const wrong = (what: string): 'restricted' => {
    problems.push(`extensionTrust${what}. Extensions this concerns are restricted`);
    return 'restricted';
  };
  if (!isObject(setting)) return { ...trusted, level: wrong(' must be an object') };
  const levelOf = (value: unknown, where: string): TrustLevel =>
    TRUST_LEVELS.find((one) => one === value) ?? wrong(`${where} must be ${TRUST_LEVELS.join(', ')}`);
  const fallback =
    extension.scope === 'project' && setting.project !== undefined
      ? levelOf(setting.project, '.project')
      : extension.scope !== 'project' && setting.default !== undefined
        ? levelOf(setting.default, '.default')
        : 'trusted';
  const { overrides } = setting;
  if (overrides === undefined) return { ...trusted, level: fallback };
  if (!isObject(overrides)) return { ...trusted, level: wrong('.overrides must be an object') };
  const key = Object.keys(overrides).find((name) => isNamed(extension, name, home));
  if (key === undefined) return { ...trusted, level: fallback };
  const said = overrides[key];
  const where = `.overrides[${JSON.stringify(key)}]`;
  if (typeof said === 'string') return { ...trusted, level: levelOf(said, where) };
  if (!isObject(said)) return { ...trusted, level: wrong(`${where} must be a level or an object`) };
  const { level, grants = [], limits = {}, ownWorker } = said;
  if (!Array.isArray(grants) || grants.some((one) => typeof one !== 'string'))
    return { ...trusted, level: wrong(`${where}.grants must be a list of capabilities`) };
  if (!isObject(limits)) return { ...trusted, level: wrong(`${where}.limits must be an object`) };
  const own = ownWorker === 'process' ? 'process' : ownWorker === true || ownWorker === 'worker' ? 'worker' : undefined;
  return {
    level: level === undefined ? fallback : levelOf(level, `${where}.level`),
    grants: grants as string[],
    limits: knownLimits(limits, where, problems),
    ...(own && { own }),
  };
}

function knownLimits(limits: Fields, where: string, problems: string[]): ExtensionLimits {
  const known: ExtensionLimits = {};
  for (const [name, value] of Object.entries(limits)) {
    const limit = LIMITS.find((one) => one === name);
    if (limit && typeof value === 'number' && Number.isSafeInteger(value) && value > 0) known[limit] = value;
    else
      problems.push(`extensionTrust${where}.limits.${name} is ignored: it must be one of ${LIMITS.join(', ')}, a number above 0`);
  }
  return known;
}

function lower(one: TrustLevel, other: TrustLevel): TrustLevel {
  return TRUST_LEVELS.indexOf(one) >= TRUST_LEVELS.indexOf(other) ? one : other;
}

/** A key names the file, a folder of its package, or where the package comes from, with or without its version. */
function isNamed({ path: file, packageFolder, source }: NamedExtension, key: string, home: string): boolean {
  if (/^[a-z+]+:/i.test(key)) return key === source || key === withoutVersion(source);
  const named = path.resolve(key === '~' || key.startsWith('~/') ? home + key.slice(1) : key);
  const places = [file, ...(packageFolder === undefined ? [] : [packageFolder])];
  return places.some((place) => place === named || real(place) === real(named));
}

function withoutVersion(source: string): string {
  return source.startsWith('npm:') ? source.replace(/(?<=^npm:.[^@]*)@[^/]*$/, '') : source.replace(/[@#][^/@#:]*$/, '');
}

function real(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    // It need not be there any more.
    return place;
  }
}
