import type { Token } from './tokens.js';

const VERBS = new Set(
  (
    'list ls show find locate read open print display cat view search grep look scan write create make save add append put insert prepend edit change ' +
    'replace rename update substitute swap correct fix run execute launch start try rerun count tell give report let copy duplicate move delete remove erase wipe destroy format ' +
    'check inspect examine see use touch build lint test overwrite fill store turn convert set modify drop strip get collect call explain summarise summarize ' +
    'translate describe say continue proceed do refactor commit push install download mkdir'
  ).split(' '),
);
const QUESTIONS = new Set('what which where how is are does do who'.split(' '));
const ADVERBS = new Set(
  'then also finally afterwards afterward next now please lastly and after that thereafter just first second third kindly'.split(
    ' ',
  ),
);
const MODALS = new Set('can could would will may'.split(' '));

/**
 * Where a request may be cut into its parts: indices into `tokens`, the first 0, the last its length. A cut is a possibility: parts that
 * make no sense alone are joined again.
 */
export function splitClauses(tokens: readonly Token[]): number[] {
  const cuts = new Set<number>([0, tokens.length]);
  for (const [index, token] of tokens.entries()) {
    if (index === 0) continue;
    if (beginsPart(tokens, index, token)) cuts.add(index);
  }
  return [...cuts].sort((a, b) => a - b);
}

function beginsPart(tokens: readonly Token[], index: number, token: Token): boolean {
  const before = tokens[index - 1];
  if (!before) return false;
  // The mark stays with the part before it.
  if (before.kind === 'line') return token.kind !== 'line';
  if (before.kind === 'mark' && '.;!?'.includes(before.text)) return token.kind !== 'mark' && !isListNumber(tokens, index - 2);
  if (token.kind === 'word' && (token.lower === 'then' || token.lower === 'afterwards' || token.lower === 'finally')) {
    return before.lower !== 'and';
  }
  const isAnd = token.lower === 'and' && before.text !== ',';
  if (isAnd || (before.kind === 'mark' && before.text === ',')) return leadsToVerb(tokens, isAnd ? index + 1 : index);
  return false;
}

/** `1.` at the beginning of a line. */
function isListNumber(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return /^\d{1,2}$/.test(tokens[index]?.lower ?? '') && (before === undefined || before.kind === 'line');
}

function leadsToVerb(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (ADVERBS.has(tokens[at]?.lower ?? '') || tokens[at]?.text === ',') at += 1;
  if (MODALS.has(tokens[at]?.lower ?? '') && /^(you|i|we)$/.test(tokens[at + 1]?.lower ?? '')) return true;
  const word = tokens[at]?.lower ?? '';
  return (tokens[at]?.kind === 'word' && (VERBS.has(word) || QUESTIONS.has(word))) || (at > from && word !== '');
}
