import { FILE_KINDS, isBareFolder, isClearlyPath, isFileNotFolder, isGlob, isMember } from './names.js';
import type { Captures } from './pattern.js';
import { type Clause, folderOf, type Rule, rule } from './rule.js';
import type { FindStep, Step } from './steps.js';

const FIND = 'find|locate|list|show|get|give|search|look|see|display|print';
const IN = '[ [ that|which are ] <in> {folder:folder} ]';
const FILES = 'file|files|sources|scripts|documents|modules';

type Wanted = FindStep['wanted'];

function find(glob: string, captures: Captures, clause: Clause, wanted: Wanted, more: Partial<FindStep> = {}): Step[] {
  return [
    { kind: 'find', glob, folder: folderOf(captures, clause), ignoreCase: clause.ignoreCase, folders: false, wanted, ...more },
  ];
}

/** The glob for "TypeScript files", ".md files", "*.test.js". */
function globOf(word: string): string | undefined {
  if (isGlob(word)) return word;
  const kind = FILE_KINDS[word.toLowerCase()];
  if (kind !== undefined) return kind;
  return /^\.[A-Za-z0-9.]+$/.test(word) ? `*${word}` : undefined;
}

const byKind =
  (wanted: Wanted) =>
  (captures: Captures, clause: Clause): Step[] | undefined => {
    const glob = captures.kind && globOf(captures.kind.text);
    return glob === undefined ? undefined : find(glob, captures, clause, wanted);
  };

const byExtension =
  (wanted: Wanted) =>
  (captures: Captures, clause: Clause): Step[] | undefined => {
    const end = captures.end?.text;
    if (end === undefined || !/^[\w.-]+$/.test(end)) return undefined;
    return find(`*${end.startsWith('.') || end.includes('.') ? '' : '.'}${end}`, captures, clause, wanted);
  };

const ENDING = 'ending|end|ends|with|having [ in|with ] [ the|an ] [ file ] [ extension|suffix|ending ]';

export const COUNT_FILE_RULES: readonly Rule[] = [
  rule(
    [
      `how many {kind:one} ${FILES} are [ there ] ${IN}`,
      `how many {kind:one} ${FILES} does {folder:folder} have|contain`,
      `count [ all ] [ the ] [ number of ] {kind:one} ${FILES} ${IN}`,
    ],
    byKind('count'),
  ),
  rule(
    [`how many ${FILES} ${ENDING} {end:one} are [ there ] ${IN}`, `count [ the ] ${FILES} ${ENDING} {end:one} ${IN}`],
    byExtension('count'),
  ),
  rule(
    [
      `how many ${FILES}|entries|things [ and folders|directories ] are [ there ] ${IN}`,
      `how many ${FILES}|entries|things does|do {folder:folder} have|contain|hold`,
      `count [ all ] [ the ] [ number of ] ${FILES}|entries ${IN}`,
    ],
    (captures, clause) => [{ kind: 'list', folder: folderOf(captures, clause), wanted: 'count' }],
  ),
];

/** `README.md` or `LICENSE` when people say "the readme": any case will do. */
const isFileWord = (path: string): boolean => /^(readme\.md|changelog\.md|licen[cs]e|makefile|dockerfile)$/i.test(path);

const escapeGlob = (name: string): string => (/[*?]/.test(name) ? name : name.replace(/[\\[\]{}()!]/g, '\\$&'));

export const FIND_RULES: readonly Rule[] = [
  rule(
    [
      `${FIND} [ for ] [ me ] <the> {kind:one} ${FILES} ${IN}`,
      `${FIND} [ for ] [ me ] <the> ${FILES} [ that|which ] [ match|matching|like ] {kind:one} ${IN}`,
      `${FIND} [ for ] [ me ] <the> {kind:one} ${IN}`,
      `which|what {kind:one} ${FILES} are|exist [ there ] ${IN}`,
      `which|what {kind:one} ${FILES} do|does we|you|i|{folder:folder} have|contain`,
      `where are [ the|all|my ] [ the ] {kind:one} ${FILES} ${IN}`,
      `are there [ any ] {kind:one} ${FILES} ${IN}`,
      `glob {kind:one} ${IN}`,
    ],
    (captures, clause) => {
      const { kind } = captures;
      if (
        !kind ||
        (clause.tokens.length <= 4 &&
          !isGlob(kind.text) &&
          !clause.tokens.some((token) => /^(files?|scripts|sources|documents|modules)$/.test(token.lower)))
      )
        return undefined;
      if (!isGlob(kind.text) && !clause.tokens.some((token) => /^(files?|scripts|sources|documents|modules)$/.test(token.lower)))
        return undefined;
      return byKind('paths')(captures, clause);
    },
  ),
  rule(
    [
      `${FIND} [ for ] [ me ] <the> ${FILES} [ that|which|whose name|names ] ${ENDING} {end:one} [ extension ] ${IN}`,
      `which|what ${FILES} [ that ] end|have [ in|with ] [ the|a ] [ extension ] {end:one} [ extension ] ${IN}`,
    ],
    (captures, clause) => {
      const words = clause.tokens.map((token) => token.lower);
      const isAboutNames =
        words.some((word) => /^(end|ends|ending|extension|suffix)$/.test(word)) || captures.end?.text.startsWith('.');
      return isAboutNames ? byExtension('paths')(captures, clause) : undefined;
    },
  ),
  rule(
    [
      `${FIND} [ for ] [ me ] <the> ${FILES} [ that|which ] [ have|with|having|whose ] name|names|filename|filenames [ contains|contain|containing|includes|with|has ] {part:one} ${IN}`,
      `${FIND} [ for ] [ me ] <the> ${FILES} [ that|which ] with|have|having|containing {part:one} in|inside [ the|their|its ] name|names|filename|title ${IN}`,
      `${FIND} [ for ] [ me ] <the> ${FILES} [ that|which ] [ names ] start|starts|starting|begin|begins|beginning with {start:one} ${IN}`,
    ],
    (captures, clause) => {
      const { part, start } = captures;
      if (part) return find(`*${part.text}*`, captures, clause, 'paths');
      return start ? find(`${start.text}*`, captures, clause, 'paths') : undefined;
    },
  ),
  rule(
    [
      `find|locate|look|search [ for ] [ me ] [ the|a|any ] folder|directory [ called|named ] {name:one} ${IN}`,
      `find|locate [ the ] {name:one} folder|directory ${IN}`,
      `where is [ the ] {name:one} folder|directory`,
      `where is [ the ] folder|directory [ called|named ] {name:one}`,
      `is there [ a|any ] folder|directory [ called|named ] {name:one}`,
    ],
    (captures, clause) =>
      captures.name ? find(captures.name.text.replace(/\/$/, ''), captures, clause, 'paths', { folders: true }) : undefined,
  ),
  rule(
    [
      `find|locate|search|look [ for ] [ me ] [ all ] [ the ] ${FILES} called|named {name:data} ${IN}`,
      `find|locate|list|show|get [ for ] [ me ] [ all ] [ the|any|every ] ${FILES} called|named {name:one} ${IN}`,
      `find|locate|search|look [ for ] [ me ] [ the|a|any ] [ file ] <called> {file:file} ${IN}`,
      `where is|are|can|could [ i|we ] [ find ] [ the ] [ file ] <called> {file:file} [ located|stored|kept ]`,
      `where is the [ file ] {file:file} file`,
      `is|are there [ a|an|any ] [ file ] <called> {file:file} ${IN}`,
      `does [ the|a ] [ file ] <called> {file:file} exist ${IN}`,
      `do we|i|you have [ a|an|any ] [ file ] <called> {file:file} ${IN}`,
    ],
    (captures, clause) => {
      if (captures.name) return find(captures.name.text, captures, clause, 'paths');
      const file = captures.file?.file;
      if (file?.kind !== 'path') return undefined;
      const isSaid = clause.tokens.some((token) => ['file', 'files', 'called', 'named', 'exist'].includes(token.lower));
      const { path } = file;
      const isNamed = isSaid || isClearlyPath(path) || isFileWord(path) || /^[\w-]+\.[a-z0-9]{1,3}$/.test(path);
      const first = clause.tokens[0]?.lower;
      // "search for console.log" and `find "some text"` are about what stands in files.
      if (!isNamed || (!isSaid && (first === 'search' || isMember(path)))) return undefined;
      return find(escapeGlob(path), captures, clause, 'paths', {
        ignoreCase: clause.ignoreCase || !captures.file?.text.includes(path),
      });
    },
  ),
];

export const LIST_RULES: readonly Rule[] = [
  rule(
    [
      `${FIND} [ me ] [ the|all ] [ project|folder|directory|file|source ] [ 's ] structure|tree|layout|hierarchy [ of {folder:folder} ]`,
      `${FIND} [ me ] all|every [ the ] file|files recursively [ in|under {folder:folder} ]`,
      `list|ls|show|find [ me ] [ all ] [ the ] [ files ] [ <in> ] {folder:folder} recursively`,
      `recursively list|show [ all ] [ the ] file|files ${IN}`,
      `find|list|show [ me ] [ all ] [ the ] file|files recursively ${IN}`,
      `find <the> files ${IN}`,
    ],
    (captures, clause) => find('*', captures, clause, 'paths'),
  ),
  rule(
    [
      `list|enumerate|show|display|give|see|print|get [ me ] [ a|the ] [ list|listing ] [ of ] <the> files|file|contents|content|entries|things|everything|folders|directories|filenames|names [ and folders|directories|subfolders ] [ [ that|which ] are|is|exist ] [ there|here ] ${IN}`,
      'list|ls|dir [ all ] [ of ] [ me ] [ <in> ] {folder:folder}',
      'list|ls|dir [ files|everything ]',
      `what|which [ files|things|folders|entries ] [ and folders ] are|is|exist|live|lives [ there ] [ stored|located|kept ] <in> {folder:folder}`,
      `what|which files|things|folders [ and folders ] are|exist [ there|here ]`,
      `what|which files|things|folders do|does we|you|i|it have|see [ here ]`,
      `what|which [ files|folders ] do|does {folder:folder} contain|have|hold|include`,
      `what is|are here|there`,
      `look|peek|go [ around ] [ in|into|inside|at ] {folder:folder}`,
      `show|open|display|see|inspect|explore [ me ] [ what is ] [ <in> ] {folder:folder}`,
      `{folder:folder}`,
    ],
    (captures, clause) => {
      const folder = folderOf(captures, clause);
      const first = clause.tokens[0]?.lower ?? '';
      // "show foo" may be anything; a folder has to look like one.
      const isLoose = !['list', 'ls', 'dir', 'what', 'which', 'enumerate'].includes(first) && captures.folder !== undefined;
      if (isLoose && !looksLikeFolder(captures, clause)) return undefined;
      return isFileNotFolder(folder) && !captures.folder?.tokens.some((token) => /folder|directory/.test(token.lower))
        ? undefined
        : [{ kind: 'list', folder, wanted: 'names' }];
    },
  ),
];

function looksLikeFolder(captures: Captures, clause: Clause): boolean {
  const { folder } = captures;
  if (!folder) return false;
  const path = folder.folder ?? '';
  if (clause.tokens.length === folder.tokens.length && !path.endsWith('/')) return false;
  const words = clause.tokens.map((token) => token.lower);
  if (words.some((word) => /^(files?|folders?|contents?|entries|everything|directory|directories|things)$/.test(word)))
    return true;
  return path === '' ? words.length > 1 : path.endsWith('/') || isBareFolder(path);
}
