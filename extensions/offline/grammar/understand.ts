import { GREETING, WELCOME } from '../help.js';
import { prepareClause } from './clause.js';
import { dangerOfCommand, isSystemPath } from './danger.js';
import { applyRules, type Rule } from './rule.js';
import { EDIT_RULES } from './rules-edit.js';
import { COUNT_FILE_RULES, FIND_RULES, LIST_RULES } from './rules-files.js';
import { COUNT_RULES, RANGE_RULES, READ_RULES } from './rules-read.js';
import { RUN_RULES } from './rules-run.js';
import { COUNT_MATCH_RULES, FIND_TEXT_RULES, SEARCH_RULES } from './rules-search.js';
import { REFUSAL_RULES, TALK_RULES } from './rules-talk.js';
import { ADD_RULES, startsWriting, WRITE_RULES } from './rules-write.js';
import { splitClauses } from './split.js';
import type { Step } from './steps.js';
import { type Token, tokenise } from './tokens.js';

/** In this order: the first rule that fits decides. */
const RULES: readonly Rule[] = [
  ...REFUSAL_RULES,
  ...EDIT_RULES,
  ...RUN_RULES,
  ...ADD_RULES,
  ...WRITE_RULES,
  ...RANGE_RULES,
  ...COUNT_RULES,
  ...COUNT_MATCH_RULES,
  ...COUNT_FILE_RULES,
  ...FIND_RULES,
  ...SEARCH_RULES,
  ...LIST_RULES,
  ...FIND_TEXT_RULES,
  ...READ_RULES,
  ...TALK_RULES,
];

/** More words than this (quoted text counts as one) are prose, which no rule fits: not worth the search. */
const MAX_TOKENS = 400;
const MAX_CLAUSES = 24;

/**
 * What a request asks for, in order. Ends with an `unknown` step where a part is not understood: the parts after it may depend on it.
 * A request with something that is refused has only the refusal.
 */
export function understand(text: string): Step[] {
  const source = text.trim();
  if (source === '') return [];
  const tokens = withTextAfterColon(tokenise(source), source);
  if (tokens.length > MAX_TOKENS) return [{ kind: 'unknown', text: shorten(source) }];
  const steps = understandParts(splitClauses(tokens), tokens, source);
  const refusal = steps.map(refusalOf).find((step) => step !== undefined);
  if (refusal) return [refusal];
  const real = joinWrites(steps).filter((step) => !isPoliteness(step));
  return (real.length > 0 ? real : steps.slice(0, 1)).filter(
    (step, index, kept) => kept.length === 1 || !(step.kind === 'nothing' || isSaidAgain(step, kept[index - 1])),
  );
}

/**
 * Parts are joined again where they make sense only together ("search for read and write"): the shortest beginning that fits, and whose
 * rest fits too, wins.
 */
function understandParts(cuts: readonly number[], tokens: readonly Token[], source: string): Step[] {
  const known = new Map<string, Step[] | undefined>();
  const one = (from: number, to: number): Step[] | undefined => {
    const key = `${from}-${to}`;
    if (!known.has(key)) known.set(key, understandClause(tokens.slice(cuts[from], cuts[to]), source));
    return known.get(key);
  };
  const dead = new Set<number>();
  const count = Math.min(cuts.length - 1, MAX_CLAUSES);
  const whole = (from: number): Step[] | undefined => {
    if (from >= count) return [];
    if (dead.has(from)) return undefined;
    for (let to = from + 1; to <= count; to += 1) {
      const first = one(from, to);
      const rest = first && whole(to);
      if (first && rest) return [...first, ...rest];
    }
    dead.add(from);
    return undefined;
  };
  const all = count === cuts.length - 1 ? whole(0) : undefined;
  if (all) return all;

  const steps: Step[] = [];
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to <= count && !one(from, to)) to += 1;
    if (to > count) return [...steps, { kind: 'unknown', text: textOf(tokens.slice(cuts[from], cuts[from + 1]), source) }];
    steps.push(...(one(from, to) ?? []));
    from = to;
  }
  return [...steps, { kind: 'unknown', text: textOf(tokens.slice(cuts[count]), source) }];
}

function understandClause(tokens: readonly Token[], source: string): Step[] | undefined {
  const clause = prepareClause(tokens, source);
  if (clause.tokens.every((token) => token.kind === 'mark')) return [];
  return applyRules(RULES, clause);
}

/** "Write this to notes.txt:" and then lines: they are the text, whatever they say. */
function withTextAfterColon(tokens: Token[], source: string): Token[] {
  const at = tokens.findIndex(
    (token, index) => token.text === ':' && token.kind === 'mark' && tokens[index + 1]?.kind === 'line',
  );
  if (at < 0 || !startsWriting(prepareClause(tokens.slice(0, at), source))) return tokens;
  const rest = tokens.slice(at + 1).find((token) => token.kind !== 'line');
  if (!rest || rest.kind === 'block') return tokens;
  const start = (tokens[at + 1]?.end ?? rest.start) as number;
  const text = `${source.slice(start)}\n`;
  return [...tokens.slice(0, at + 1), { kind: 'block', text, lower: '', start, end: source.length }];
}

/** "Create a.txt and write x in it" is one file with that content. */
function joinWrites(steps: readonly Step[]): Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const before = joined.at(-1);
    const isEmptyFile = before?.kind === 'write' && before.content === '';
    if (isEmptyFile && step.kind === 'add' && step.file.kind === 'it') joined.splice(-1, 1, { ...before, content: step.text });
    else joined.push(step);
  }
  return joined;
}

const isPoliteness = (step: Step): boolean => step.kind === 'say' && (step.text === GREETING || step.text === WELCOME);

/** "Read a.txt and tell me what it says" is one wish. */
const isSaidAgain = (step: Step, before: Step | undefined): boolean =>
  step.kind === 'read' && step.file.kind === 'it' && Object.keys(step.lines).length === 0 && before?.kind === 'read';

function refusalOf(step: Step): Step | undefined {
  if (step.kind === 'refuse') return step;
  if (step.kind === 'run' || step.kind === 'unknown') {
    const danger = dangerOfCommand(step.kind === 'run' ? step.command : step.text);
    return danger === undefined ? undefined : { kind: 'refuse', reason: danger };
  }
  const target =
    (step.kind === 'write' || step.kind === 'add') && step.file.kind === 'path'
      ? step.file.path
      : step.kind === 'copy' || step.kind === 'move'
        ? step.to
        : undefined;
  return target !== undefined && isSystemPath(target)
    ? { kind: 'refuse', reason: `write to the system's own files (${target})` }
    : undefined;
}

function textOf(tokens: readonly Token[], source: string): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  return first && last ? shorten(source.slice(first.start, last.end).trim()) : '';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
