import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';

/** A comment that declares capabilities is looked for in this much of a file, in bytes. */
const HEAD_BYTES = 8 * 1024;

export interface ExtensionManifest {
  /** Capabilities the author says the extension needs, as written. */
  declared: string[];
  /** Folder of the package the file belongs to; undefined for a file by itself. */
  packageFolder: string | undefined;
}

/** Folders that are never one extension's own, whatever lies in them: whoever may read one reads more than an extension. */
export interface CommonFolders {
  home: string;
  agentDir: string;
  cwd: string;
}

/**
 * What the author of an extension declares, in `pi.capabilities` of its package or in a comment `// @pi-capabilities …` at the top of the
 * file. Never throws: what can't be read declares nothing.
 */
export function readManifest(file: string, common: CommonFolders): ExtensionManifest {
  const found = packageOf(file, common);
  const inPackage = found ? capabilitiesOf(found.json) : [];
  return { declared: [...new Set([...inPackage, ...capabilitiesInComment(readHead(file))])], packageFolder: found?.folder };
}

/**
 * The folder an extension may read without being asked. A package's is the package, one with an index file the folder that is named for it; a
 * file by itself has none but itself. A folder that holds home, settings or the project is never meant.
 */
export function ownFolder(file: string, { packageFolder }: ExtensionManifest, common: CommonFolders): string {
  const folder = packageFolder ?? (path.parse(file).name === 'index' ? path.dirname(file) : undefined);
  return folder === undefined || isCommon(folder, common) ? file : folder;
}

/** Words behind `@pi-capabilities` in the comments a source begins with. */
export function capabilitiesInComment(source: string): string[] {
  const lead = /^\uFEFF?(?:#![^\n]*\n)?(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/.exec(source)?.[0] ?? '';
  return [...lead.matchAll(/@pi-capabilities[ \t]+([^\n]*)/g)].flatMap(([, words = '']) =>
    words
      .replace(/\*\/.*$/, '')
      .split(/[\s,]+/)
      .filter((word) => word !== ''),
  );
}

/** The nearest folder above with a `package.json`, within `node_modules` at most. */
function packageOf(file: string, common: CommonFolders): { folder: string; json: unknown } | undefined {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (path.basename(folder) === 'node_modules' || isCommon(folder, common)) return undefined;
    const json = readJson(path.join(folder, 'package.json'));
    if (json !== undefined) return { folder, json };
    if (path.dirname(folder) === folder) return undefined;
  }
}

function isCommon(folder: string, { home, agentDir, cwd }: CommonFolders): boolean {
  const holds = (inner: string): boolean => inner === folder || inner.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
  // Extensions lie side by side in these.
  return [home, agentDir, cwd, path.join(agentDir, 'extensions'), path.join(cwd, '.pi', 'extensions')].some(holds);
}

function capabilitiesOf(json: unknown): string[] {
  const list = (json as { pi?: { capabilities?: unknown } | null } | null)?.pi?.capabilities;
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as unknown;
  } catch {
    // None there, or one that says nothing: the loader complains where it matters.
    return undefined;
  }
}

function readHead(file: string): string {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString('utf8', 0, readSync(handle, head, 0, HEAD_BYTES, 0));
  } catch {
    // Loading it will say why.
    return '';
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
