import { isFileNotFolder } from './names.js';
import type { Capture, Captures } from './pattern.js';
import { type Clause, type Rule, rule, scopeOf } from './rule.js';
import { HERE, IT_SCOPE, type Scope, type Step } from './steps.js';

const EVERY =
  '[ all|every|each|the|both ] [ of ] [ the ] [ occurrences|occurrence|instances|instance|mentions|uses|usages|appearances ] [ of ]';
const IN = '[ in|inside|within|throughout|across|of|from [ all ] {scope:scope} ]';
const ALL = '[ everywhere|wherever ] [ it appears|occurs ]';

/** "it", "that text": what was searched for. */
const SEARCHED = /^(it|that|this|them|(that|this|the) (text|word|string|line|match|one))$/i;

export const EDIT_RULES: readonly Rule[] = [
  rule(
    [
      `rename|move [ the ] [ file ] {from:file} to|as|into {to:file}`,
      `move|mv [ the ] [ file ] {from:file} [ to|into ] {to:word}`,
    ],
    ({ from, to }) => {
      if (from?.file === undefined || to?.file?.kind !== 'path') return undefined;
      return isName(from.file) ? [{ kind: 'move', from: from.file, to: to.file.path }] : undefined;
    },
  ),
  rule([`copy|duplicate|cp [ the ] [ file ] {from:file} [ to|as|into ] {to:word}`], ({ from, to }) =>
    from?.file && to?.file?.kind === 'path' ? [{ kind: 'copy', from: from.file, to: to.file.path }] : undefined,
  ),
  rule(
    [
      `rename ${EVERY} <noun> {old} to|as|into <noun> {new} ${IN} ${ALL}`,
      `rename ${EVERY} <noun> {old} in|inside {scope:scope} to|as|into <noun> {new}`,
    ],
    (captures, clause) => replace(captures, clause, { all: true, wholeWord: true }),
  ),
  rule(
    [
      `[ find|search ] [ and ] replace|substitute ${EVERY} <noun> {old} in|inside|within {scope:inFiles} with|by <noun> {new} ${ALL}`,
      `[ find|search|look ] [ and ] replace|substitute|swap|exchange ${EVERY} <noun> {old} with|by|for|to <noun> {new} ${ALL} ${IN} ${ALL}`,
      `change|turn|convert|modify|update|edit|set|correct|fix|alter ${EVERY} [ the ] [ typo|spelling|heading ] <noun> {old} to|into|-> <noun> {new} ${ALL} ${IN} ${ALL}`,
      `change|turn|convert|modify|update|edit|set|correct|fix|alter ${EVERY} <noun> {old} in|inside|within {scope:scope} to|into <noun> {new} ${ALL}`,
      `edit|open|take|modify|update|change {scope:scope} and|by|to|so [ that ] replace|replacing|change|changing|swap|swapping ${EVERY} <noun> {old} with|to|by|into|for <noun> {new} ${ALL}`,
      `make ${EVERY} <noun> {old:data} [ into ] {new:data} ${IN}`,
    ],
    (captures, clause) => {
      const first = clause.tokens.map((token) => token.lower);
      const all = first.some((word) =>
        ['all', 'every', 'each', 'both', 'everywhere', 'wherever', 'throughout', 'occurrences', 'instances'].includes(word),
      );
      return replace(captures, clause, { all, wholeWord: false });
    },
  ),
  rule(
    [
      `delete|remove|drop|strip ${EVERY} <noun> {old:data} ${IN}`,
      `delete|remove|drop|strip the text|word|phrase|string|line {old} from|in {scope:scope}`,
      `delete|remove|drop|strip {old:one} from|in {scope:scope}`,
    ],
    (captures, clause) => {
      const { old } = captures;
      if (!old || (!captures.scope && !clause.scope && isFileNotFolder(old.text))) return undefined;
      const words = clause.tokens.map((token) => token.lower);
      const isLine = words.includes('line') && !words.includes('text');
      const text = isLine ? `${old.text}\n` : old.text;
      const all = words.some((word) => ['all', 'every', 'each', 'everywhere', 'occurrences'].includes(word));
      return [{ kind: 'replace', oldText: text, newText: '', all, wholeWord: false, scope: scopeOf(captures, clause, IT_SCOPE) }];
    },
  ),
];

/** Two bare file names and no file to look in mean the files themselves; pronouns do not. */
const isName = (file: NonNullable<Capture['file']>): boolean => file.kind === 'path' || file.kind === 'it';

function replace(captures: Captures, clause: Clause, options: { all: boolean; wholeWord: boolean }): Step[] | undefined {
  const { old } = captures;
  const next = captures.new;
  if (!old || !next) return undefined;
  const isSearched = !old.isData && SEARCHED.test(old.text);
  const isEverywhere = clause.tokens.some((token) => token.lower === 'everywhere');
  const scope: Scope = scopeOf(captures, clause, isEverywhere && !isSearched ? HERE : IT_SCOPE);
  const oldText = isSearched ? undefined : old.text;
  const newText = isNothing(next) ? '' : next.text;
  if (oldText === '' || oldText === newText) return undefined;
  const isThem = scope.kind === 'files' && scope.files.some((file) => file.kind === 'them');
  const isInMany = isThem || scope.kind === 'folder' || (isSearched && captures.scope === undefined);
  const wholeWord = options.wholeWord && oldText !== undefined && /^[\w$]+$/.test(oldText);
  const all = options.all || isInMany;
  const target =
    isSearched && !captures.scope && !clause.scope ? { kind: 'files' as const, files: [{ kind: 'them' as const }] } : scope;
  return [{ kind: 'replace', oldText, newText, all, wholeWord, scope: target }];
}

const isNothing = (capture: Capture): boolean => !capture.isData && /^(nothing|an? empty (string|text))$/i.test(capture.text);
