import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { blankSource } from './blank-source.js';

/** A place in the sources; lines from 1. */
export interface Site {
  path: string;
  line: number;
}

/** `import { a as b } from 'x'`: one of the names. `name` is what the other module calls it, `*` for all of it. */
export interface ImportedName extends Site {
  specifier: string;
  name: string;
}

export interface SourceFile {
  path: string;
  text: string;
  /** {@link blankSource} of it. */
  code: string;
  /** Everything it imports, also what is loaded later. */
  specifiers: string[];
  /** Values only: what is imported as a type is gone when it runs. */
  names: ImportedName[];
}

const ENDINGS = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.mjs',
  '.cjs',
  '.json',
  '/index.ts',
  '/index.js',
  '/index.mts',
  '/index.mjs',
];
const MAX_FILES = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The file and what it imports by relative paths, and so on. What can't be read is left out: loading it says why. */
export function moduleGraph(entry: string): SourceFile[] {
  const files = new Map<string, SourceFile>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined && files.size < MAX_FILES; file = waiting.pop()) {
    if (files.has(file)) continue;
    const text = textOf(file);
    if (text === undefined) continue;
    const source = readSource(file, text);
    files.set(file, source);
    for (const specifier of source.specifiers) {
      const found = specifier.startsWith('.') ? resolveRelative(path.dirname(file), specifier) : undefined;
      if (found !== undefined) waiting.push(found);
    }
  }
  return [...files.values()];
}

function textOf(file: string): string | undefined {
  try {
    return statSync(file).size > MAX_BYTES ? undefined : readFileSync(file, 'utf8');
  } catch {
    // Gone, or not for us: whoever loads it reports that.
    return undefined;
  }
}

function resolveRelative(folder: string, specifier: string): string | undefined {
  const base = path.resolve(folder, specifier);
  // `./x.js` may be written for x.ts.
  const candidates = [...ENDINGS.map((ending) => base + ending), base.replace(/\.([cm]?)js$/, '.$1ts')];
  return candidates.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
}

const IMPORT =
  /\b(?:(import|export)\b\s*(type\b(?!\s*(?:,|from\b)))?\s*([\w$*{},\s]*?)\s*\bfrom\s*|import\s*(?=['"])|(?:import|require)\s*\(\s*)(['"`])/g;

export function readSource(file: string, text: string): SourceFile {
  const code = blankSource(text);
  const specifiers: string[] = [];
  const names: ImportedName[] = [];
  for (const match of code.matchAll(IMPORT)) {
    const from = match.index + match[0].length;
    const specifier = text.slice(from, code.indexOf(match[4] ?? '', from));
    specifiers.push(specifier);
    if (match[2] !== undefined || match[3] === undefined) continue;
    const line = lineAt(text, match.index);
    for (const name of namesOf(match[3])) names.push({ specifier, name, path: file, line });
  }
  return { path: file, text, code, specifiers, names };
}

function namesOf(clause: string): string[] {
  const inBraces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  const outside = clause.replace(/\{[^}]*\}/, '');
  return [
    ...(outside.includes('*') ? ['*'] : []),
    ...inBraces
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '' && !one.startsWith('type '))
      .map((one) => one.split(/\s+as\s+/)[0] ?? one),
  ];
}

/** From 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
