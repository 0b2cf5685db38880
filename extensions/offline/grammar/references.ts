import { isBareFolder, isFileName, isFileNotFolder, isGlob, spokenName } from './names.js';
import type { FileRef, LineRange, Scope } from './steps.js';
import { isData, type Token } from './tokens.js';

/** One way to read the tokens from some place on: what they mean, and the place after them. */
export interface Reading<T> {
  value: T;
  end: number;
}

const words = (text: string): Set<string> => new Set(text.split(' '));
const DETERMINERS = words('the a an my our your its this that whole entire new same full existing');
const FILE_NOUNS = words('file script document module page program note');
const FOLDER_NOUNS = words('folder directory dir subfolder subdirectory package');
const HERE_NOUNS = words('project repo repository codebase code workspace sources tree sample');
const NAMED = words('called named');
const HERE_ADJECTIVES = words('current working root top main whole entire same present sample source');
/** Words that end a phrase and so are never the name of a file or folder. */
const FUNCTION_WORDS = words(
  'in into inside of from to at on with by for as and or then the a an all any is are was it them this that there here what which who how where when ' +
    'please me you we us everything everywhere not no be does do have has if so line lines file files folder directory',
);

/** Pronouns and phrases that stand for files of before, longest first. */
const PHRASES: readonly (readonly [phrase: string, ref: FileRef])[] = (
  [
    ...['it they', 'they are', 'it is', 'that is', 'they were', 'it was', 'you found them', 'you found it'].map(
      (rest): [string, FileRef] => [`the file ${rest} in`, { kind: 'it' }],
    ),
    ...['they are', 'it is', 'they were', 'it was'].flatMap((rest): [string, FileRef][] => [
      [`the files ${rest} in`, { kind: 'them' }],
      [`the file where ${rest}`, { kind: 'it' }],
      [`the file in which ${rest}`, { kind: 'it' }],
    ]),
    ...['found', 'you found', 'we found', 'that was found', 'you just found', 'that you found'].flatMap(
      (rest): [string, FileRef][] => [
        [`the file ${rest}`, { kind: 'it' }],
        [`the files ${rest}`, { kind: 'them' }],
      ],
    ),
    ...['created', 'wrote', 'read', 'edited', 'changed', 'made', 'opened'].flatMap((verb): [string, FileRef][] => [
      [`the file you ${verb}`, { kind: 'it' }],
      [`the file you just ${verb}`, { kind: 'it' }],
      [`the file i just ${verb}`, { kind: 'it' }],
    ]),
    ...[
      'all of them',
      'all of these',
      'all of those',
      'each of them',
      'both of them',
      'every one of them',
      'these files',
      'those files',
    ],
    ...[
      'all the files',
      'the files',
      'all files found',
      'all these files',
      'all those files',
      'each file',
      'every file',
      'both files',
    ],
    ...['the matching files', 'all matches', 'them all', 'them', 'they', 'these', 'those', 'both', 'each'],
    ...[
      'the matching file',
      'the found file',
      'the result',
      'the same file',
      'that same file',
      'this same file',
      'the same one',
      'the same',
    ],
    ...[
      'that file',
      'this file',
      'the file',
      'that script',
      'this script',
      'the script',
      'that document',
      'this document',
      'the document',
    ],
    ...['that one', 'this one', 'the new file', 'the last file', 'it', 'that', 'this', 'there', 'its'],
  ] as (string | [string, FileRef])[]
).map((item) => (typeof item === 'string' ? [item, { kind: isPlural(item) ? 'them' : 'it' }] : item));

function isPlural(phrase: string): boolean {
  return /\b(them|these|those|both|each|every|they|files|matches)\b/.test(phrase);
}

const ORDINALS: Readonly<Record<string, number>> = { first: 0, second: 1, third: 2, fourth: 3, fifth: 4, last: -1 };
const ORDINAL_NOUNS = words('one file match result hit of');

/** The ways to read a file from `at` on, the likeliest first. `bare` also takes one word that does not look like a file. */
export function readFile(tokens: readonly Token[], at: number, bare: boolean): Reading<FileRef>[] {
  const found: Reading<FileRef>[] = [];
  const push = (path: string, end: number): void => {
    const { name, lines } = splitLines(path);
    found.push({ value: { kind: 'path', path: spokenName(name), ...(lines ? { lines } : {}) }, end });
  };
  let isNamed = NAMED.has(tokens[at - 1]?.lower ?? '');
  // After "called" every word may belong to the name, "my" too.
  let place = isNamed ? at : skip(tokens, at, DETERMINERS);
  const noun = tokens[place];
  if (!isNamed && noun && FILE_NOUNS.has(noun.lower)) {
    place += 1;
    isNamed = true;
  }
  if (NAMED.has(tokens[place]?.lower ?? '')) {
    place += 1;
    isNamed = true;
  }
  const token = tokens[place];
  if (token && token.kind !== 'mark' && token.kind !== 'line' && token.kind !== 'block') {
    const after = place + (FILE_NOUNS.has(tokens[place + 1]?.lower ?? '') ? 2 : 1);
    if (isData(token)) push(token.text.trim(), after);
    else if (isFileName(splitLines(token.text).name) && !isGlob(token.text)) push(token.text, after);
    else if ((bare || isNamed) && !FUNCTION_WORDS.has(token.lower) && /^[\w./~@-]+$/.test(token.text)) push(token.text, after);
  }
  // A name with blanks and no quotes: "called my notes.txt", and it ends with its extension.
  if (isNamed && token?.kind === 'word') {
    for (let last = place + 1; last < Math.min(tokens.length, place + 8); last += 1) {
      const word = tokens[last];
      if (word?.kind !== 'word' || FUNCTION_WORDS.has(word.lower)) break;
      if (isFileName(word.text)) {
        const text = tokens.slice(place, last + 1).map((part) => part.text);
        found.unshift({ value: { kind: 'path', path: text.join(' ') }, end: last + 1 });
        break;
      }
    }
  }
  found.push(...readPhrase(tokens, at));
  return found;
}

function readPhrase(tokens: readonly Token[], at: number): Reading<FileRef>[] {
  const found: Reading<FileRef>[] = [];
  const ordinalAt = tokens[at]?.lower === 'the' ? at + 1 : at;
  const index = ORDINALS[tokens[ordinalAt]?.lower ?? ''];
  if (index !== undefined && ORDINAL_NOUNS.has(tokens[ordinalAt + 1]?.lower ?? '')) {
    const of = tokens[ordinalAt + 1]?.lower === 'of' ? ordinalAt + 1 : ordinalAt + 2;
    const end = tokens[of]?.lower === 'of' && tokens[of + 1]?.lower === 'them' ? of + 2 : of;
    found.push({ value: { kind: 'nth', index }, end });
  }
  for (const [phrase, value] of PHRASES) {
    const parts = phrase.split(' ');
    if (parts.every((part, offset) => tokens[at + offset]?.lower === part)) found.push({ value, end: at + parts.length });
  }
  return found.sort((a, b) => b.end - a.end);
}

/** `a.txt`, `a.txt and b.txt`, `a, b and c`. */
export function readFiles(tokens: readonly Token[], at: number, bare: boolean): Reading<FileRef[]>[] {
  const found: Reading<FileRef[]>[] = [];
  for (const first of readFile(tokens, at, bare)) {
    let next = first.end;
    while (tokens[next]?.lower === ',' || tokens[next]?.lower === 'and') next += 1;
    if (next > first.end && tokens[next]?.lower === 'in') next += 1;
    if (next > first.end) {
      for (const rest of readFiles(tokens, next, false)) found.push({ value: [first.value, ...rest.value], end: rest.end });
    }
    found.push({ value: [first.value], end: first.end });
  }
  return found;
}

/** The ways to read a folder; the empty path is the working folder. A name with a file's extension is none. */
export function readFolder(tokens: readonly Token[], at: number): Reading<string>[] {
  const found: Reading<string>[] = [];
  if (['here', 'everywhere', '.'].includes(tokens[at]?.lower ?? '')) found.push({ value: '', end: at + 1 });
  let place = skip(tokens, at, DETERMINERS);
  const hasDeterminer = place > at;
  const adjectives = skip(tokens, place, HERE_ADJECTIVES);
  const noun = tokens[adjectives]?.lower ?? '';
  const isHere = HERE_NOUNS.has(noun) || (FOLDER_NOUNS.has(noun) && (hasDeterminer || adjectives > place));
  if (isHere) {
    const isFolderNoun = FOLDER_NOUNS.has(tokens[adjectives + 1]?.lower ?? '');
    found.push({ value: '', end: adjectives + (isFolderNoun ? 2 : 1) });
  }
  let isNamed = false;
  if (FOLDER_NOUNS.has(tokens[place]?.lower ?? '')) {
    place += 1;
    isNamed = true;
    if (NAMED.has(tokens[place]?.lower ?? '')) place += 1;
  }
  const token = tokens[place];
  const hasNounAfter = FOLDER_NOUNS.has(tokens[place + 1]?.lower ?? '');
  // "the current folder" is no folder named "current"; "the src folder" is one.
  const push = (reading: Reading<string>): void =>
    void (isHere && adjectives > place ? found.push(reading) : found.unshift(reading));
  if (token && (token.kind === 'quoted' || token.kind === 'code')) {
    push({ value: token.text.trim(), end: place + (hasNounAfter ? 2 : 1) });
  } else if (token?.kind === 'word' && isFolderWord(token, isNamed || hasNounAfter)) {
    push({ value: token.text, end: place + (hasNounAfter ? 2 : 1) });
  }
  return found;
}

function isFolderWord(token: Token, isCertain: boolean): boolean {
  if (FUNCTION_WORDS.has(token.lower) || HERE_NOUNS.has(token.lower) || isGlob(token.text)) return false;
  if (isBareFolder(token.text)) return true;
  return (isCertain || !isFileNotFolder(token.text)) && /^[\w./~@+-]+$/.test(token.text) && token.lower !== '.';
}

/** Files, or a folder, or the whole project. */
export function readScope(tokens: readonly Token[], at: number): Reading<Scope>[] {
  const everything = [
    'all files',
    'all the files',
    'every file',
    'everything',
    'everywhere',
    'any file',
    'all of the files',
    'the files',
  ];
  const found: Reading<Scope>[] = [];
  for (const phrase of everything) {
    const parts = phrase.split(' ');
    if (!parts.every((part, offset) => tokens[at + offset]?.lower === part)) continue;
    const end = at + parts.length;
    if (['in', 'of', 'inside', 'under'].includes(tokens[end]?.lower ?? '')) {
      for (const folder of readFolder(tokens, end + 1))
        found.push({ value: { kind: 'folder', path: folder.value }, end: folder.end });
    }
    found.push({ value: { kind: 'folder', path: '' }, end });
  }
  const isQuotedFolder = ({ value, end }: Reading<string>): boolean =>
    !(isFileNotFolder(value) && tokens[end - 1] !== undefined && !FOLDER_NOUNS.has(tokens[end - 1]?.lower ?? ''));
  const folders = readFolder(tokens, at).filter(isQuotedFolder);
  const files = readFiles(tokens, at, false).filter(({ value }) =>
    value.every(
      (file) => file.kind !== 'path' || isFileNotFolder(file.path) || !folders.some((folder) => folder.value === file.path),
    ),
  );
  for (const { value, end } of files) found.push({ value: { kind: 'files', files: value }, end });
  for (const { value, end } of folders) found.push({ value: { kind: 'folder', path: value }, end });
  return found;
}

/** `src/a.js:10-20` names lines too. */
function splitLines(path: string): { name: string; lines?: LineRange } {
  const match = /^(.+\.\w+):(\d+)(?:-(\d+))?$/.exec(path);
  if (!match?.[1]) return { name: path };
  const from = Number(match[2]);
  return { name: match[1], lines: { from, count: match[3] === undefined ? 1 : Number(match[3]) - from + 1 } };
}

function skip(tokens: readonly Token[], at: number, set: ReadonlySet<string>): number {
  let place = at;
  while (tokens[place]?.kind === 'word' && set.has(tokens[place]?.lower ?? '')) place += 1;
  return place;
}
