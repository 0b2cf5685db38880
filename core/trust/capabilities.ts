import path from 'node:path';

/** Capabilities that are one word. */
export const PLAIN_CAPABILITIES = [
  'ui',
  'ui:dialog',
  'tools',
  'commands',
  'hooks:observe',
  'hooks:tool',
  'hooks:context',
  'hooks:provider',
  'session:read',
  'session:write',
  'model',
  'model:call',
  'provider',
  'native',
  'workers',
  'eval',
] as const;
/** Capabilities for something that is named behind them. */
export const NAMING_CAPABILITIES = ['secrets', 'fs:read', 'fs:write', 'net', 'exec', 'env'] as const;
export type NamingCapability = (typeof NAMING_CAPABILITIES)[number];

export type Capability = { kind: 'plain'; text: string } | { kind: NamingCapability; text: string; value: string };

/** Folders that `$CWD`, `$EXT` and `$DATA` stand for, absolute. */
export interface Places {
  cwd: string;
  ext: string;
  data: string;
}

/** Variables by which a program can be made to run other code, or to trust other servers. They are never handed on. */
const DANGEROUS_VARIABLES = /^(?:NODE_(?!ENV$)|LD_|DYLD_|GCONV_PATH$|OPENSSL_|SSL_CERT_|BASH_ENV$|ENV$|PI_)/;

/** The capability a text means, or what is wrong with it as the end of a sentence. */
export function parseCapability(text: string): Capability | { problem: string } {
  if (PLAIN_CAPABILITIES.some((one) => one === text)) return { kind: 'plain', text };
  const kind = NAMING_CAPABILITIES.find((one) => text.startsWith(`${one}:`));
  if (!kind) return { problem: 'there is no such capability' };
  const value = text.slice(kind.length + 1);
  const problem = value === '' ? 'it names nothing' : CHECKS[kind]?.(value);
  return problem === undefined ? { kind, text, value } : { problem };
}

const CHECKS: Readonly<Partial<Record<NamingCapability, (value: string) => string | undefined>>> = {
  'fs:read': checkPlace,
  'fs:write': checkPlace,
  env: (name) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'a variable is letters, digits and _';
    return DANGEROUS_VARIABLES.test(name) ? 'this variable changes what code runs, and is never handed on' : undefined;
  },
  net: (value) => (parseHost(value) ? undefined : 'write HOST, HOST:PORT, *.DOMAIN or [IPV6]:PORT'),
};

/** What can be kept: a file, or a folder with everything in it. */
function checkPlace(value: string): string | undefined {
  const bare = value.replace(/\/\*{1,2}$/, '');
  if (/[*?[\]{}]/.test(bare)) return 'write a file, a folder, or a folder followed by /**';
  if (/^\$(?:CWD|EXT|DATA)(?:\/|$)/.test(bare) || bare === '~' || bare.startsWith('~/') || path.isAbsolute(bare) || bare === '')
    return value === '' ? 'it names nothing' : undefined;
  return 'the path must begin with /, ~, $CWD, $EXT or $DATA';
}

/** Absolute path that the value of an `fs:` capability stands for: a file, or a folder and all in it. */
export function expandPlace(value: string, places: Places, home: string): string {
  const bare = value.replace(/\/\*{1,2}$/, '');
  const named = { $CWD: places.cwd, $EXT: places.ext, $DATA: places.data, '~': home };
  const [first = '', ...rest] = bare.split('/');
  const start = Object.hasOwn(named, first) ? named[first as keyof typeof named] : undefined;
  return path.resolve(start === undefined ? bare || '/' : path.join(start, ...rest));
}

export interface HostPattern {
  /** Lower case, without brackets; `*` for any, `*.domain` for those below it. */
  host: string;
  /** Any when left out. */
  port?: number;
}

export function parseHost(value: string): HostPattern | undefined {
  const match =
    /^(?:\[([0-9a-f:.]+)\]|(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*))(?::(\d{1,5}))?$/i.exec(
      value,
    );
  const host = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
  if (!match || host === undefined || host === '') return undefined;
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { host, ...(port !== undefined && { port }) };
}
