import { compile, match, type Pattern } from './pattern.js';
import { CLOSINGS, GERUNDS, OPENINGS, QUESTION, REPORTING, SMALL_TALK } from './politeness.js';
import { readScope } from './references.js';
import type { Clause } from './rule.js';
import type { Token } from './tokens.js';

interface Modifier {
  pattern: Pattern;
  apply: (clause: Clause, value: number | undefined) => Clause;
}

const modifiers: readonly Modifier[] = [
  ...[
    'ignoring|ignore [ the ] case',
    'case-insensitively|case-insensitive',
    'case insensitively|insensitive',
    'regardless of [ the ] case',
    'in any case',
  ].map((source): Modifier => ({ pattern: compile(source), apply: (clause) => ({ ...clause, ignoreCase: true }) })),
  ...[
    'with a timeout of {n:number} seconds|second|s',
    'with [ a ] {n:number} second|seconds timeout',
    'for at most {n:number} seconds|second',
    'within {n:number} seconds|second',
    'with timeout {n:number}',
  ].map((source): Modifier => ({ pattern: compile(source), apply: (clause, timeout) => ({ ...clause, timeout }) })),
];

/** Takes away politeness, "ignoring case" and "In a.txt, …", and keeps what they say. */
export function prepareClause(all: readonly Token[], source: string): Clause {
  const clause: Clause = {
    tokens: all.filter((token) => token.kind !== 'line'),
    source,
    ignoreCase: false,
    timeout: undefined,
    scope: undefined,
  };
  return withLeadingScope(withoutOpening(withModifiers(withoutClosing(clause))));
}

const startsWith = (tokens: readonly Token[], at: number, phrase: readonly string[]): boolean =>
  phrase.every((word, offset) => tokens[at + offset]?.lower === word);

function withoutOpening(clause: Clause): Clause {
  let { tokens } = clause;
  for (let changed = true; changed; ) {
    changed = false;
    const marks = tokens.findIndex((token) => token.kind !== 'mark' && !/^[-–•*#>]+$/.test(token.text));
    if (marks > 0) tokens = tokens.slice(marks);
    const opening = OPENINGS.find((phrase) => tokens.length > phrase.length && startsWith(tokens, 0, phrase));
    const number = /^(step|\d{1,2}$)/.test(tokens[0]?.lower ?? '') ? listNumber(tokens) : 0;
    if (number > 0) tokens = tokens.slice(number);
    // "good morning", "hello there", "first 3 lines" are no openings.
    if (opening && !isMeant(tokens, opening.length)) {
      tokens = tokens.slice(opening.length);
      changed = true;
      continue;
    }
    const reporting = REPORTING.find(
      (phrase) => startsWith(tokens, 0, phrase) && QUESTION.has(tokens[phrase.length]?.lower ?? ''),
    );
    if (reporting && !isReport(tokens.slice(reporting.length))) {
      tokens = tokens.slice(reporting.length + (/^(whether|if)$/.test(tokens[reporting.length]?.lower ?? '') ? 1 : 0));
      changed = true;
    }
  }
  const [first, ...rest] = tokens;
  const verb = first && GERUNDS[first.lower];
  return { ...clause, tokens: first && verb ? [{ ...first, lower: verb }, ...rest] : tokens };
}

/** How many tokens `1.`, `2)` or `Step 3:` takes. */
function listNumber(tokens: readonly Token[]): number {
  const at = tokens[0]?.lower === 'step' ? 1 : 0;
  return /^\d{1,2}$/.test(tokens[at]?.lower ?? '') && /^[.):]$/.test(tokens[at + 1]?.text ?? '') ? at + 2 : 0;
}

const isMeant = (tokens: readonly Token[], length: number): boolean => {
  const first = tokens[0]?.lower ?? '';
  const after = tokens[length];
  if (first === 'first' || first === 'second' || first === 'third') {
    return (
      after !== undefined &&
      (/^\d/.test(after.lower) || /^(lines?|one|two|three|four|five|ten|file|match|few)$/.test(after.lower))
    );
  }
  if (first === 'good') return /^(morning|afternoon|evening|day|job|work)$/.test(after?.lower ?? '');
  if (/^(hi|hello|hey|thanks|great|nice|perfect)$/.test(first)) {
    return tokens.slice(length).every((token) => token.kind === 'mark' || SMALL_TALK.has(token.lower));
  }
  if (first === 'pi') return after?.kind !== 'mark' && after?.kind !== 'word';
  return false;
};

/** "what you found", "how it went": the end of a request, not a question about a file. */
const isReport = (tokens: readonly Token[]): boolean =>
  /^(what (you|happens|happened|it|they|changed|was|came|comes)|how it|(whether|if) (it|they|that|everything))\b/.test(
    tokens
      .map((token) => token.lower)
      .slice(0, 3)
      .join(' '),
  );

function withoutClosing(clause: Clause): Clause {
  let tokens = clause.tokens;
  for (let changed = true; changed; ) {
    changed = false;
    while (tokens.at(-1)?.kind === 'mark' && tokens.length > 1) tokens = tokens.slice(0, -1);
    for (const phrase of CLOSINGS) {
      const at = tokens.length - phrase.length;
      // "search for now" and "what is in there" end with a word that is meant.
      const before = tokens[at - 1]?.lower ?? '';
      if (at < 1 || !startsWith(tokens, at, phrase) || /^(for|in|to|with|the|of|from|is|are|by|into|thank|inside)$/.test(before))
        continue;
      if (phrase[0] === 'again' && /^(it|that|this|command)$/.test(before) && tokens.length <= 5) continue;
      if (phrase[0] === 'there' && !/^[a-z]/.test(before)) continue;
      if (phrase[0] === 'there' && /^(are|hello|hi|hey|out|up|over)$/.test(before)) continue;
      tokens = tokens.slice(0, at);
      changed = true;
      break;
    }
  }
  return { ...clause, tokens };
}

function withModifiers(clause: Clause): Clause {
  let result = clause;
  for (const { pattern, apply } of modifiers) {
    for (let at = 1; at < result.tokens.length; at += 1) {
      const found = longest(pattern, result.tokens, at, clause.source);
      if (!found) continue;
      const kept = [...result.tokens.slice(0, at), ...result.tokens.slice(found.end)];
      result = apply({ ...result, tokens: trimMarks(kept) }, found.value);
      break;
    }
  }
  return result;
}

function longest(
  pattern: Pattern,
  tokens: readonly Token[],
  at: number,
  source: string,
): { end: number; value: number | undefined } | undefined {
  for (let end = Math.min(tokens.length, at + 7); end > at; end -= 1) {
    const captures = tokens[end - 1]?.kind === 'mark' ? undefined : match(pattern, tokens.slice(at, end), source);
    if (captures) return { end, value: captures.n?.range?.[0] };
  }
  return undefined;
}

function trimMarks(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length;
  while (end > 1 && tokens[end - 1]?.kind === 'mark') end -= 1;
  return tokens.slice(0, end);
}

/** "In src/a.js, replace …". Only what follows a comma, or a file, is taken for the thing itself. */
function withLeadingScope(clause: Clause): Clause {
  const { tokens } = clause;
  if (!/^(in|inside|within|from|under)$/.test(tokens[0]?.lower ?? '')) return clause;
  for (const { value, end } of readScope(tokens, 1)) {
    const isFile = value.kind === 'files' && value.files.every((file) => file.kind === 'path');
    const hasComma = tokens[end]?.text === ',' || tokens[end]?.text === ':';
    if (end < tokens.length && (hasComma || isFile))
      return withoutOpening({ ...clause, tokens: tokens.slice(end), scope: value });
  }
  return clause;
}
