import { isClearlyPath, isGlob, isMember } from './names.js';
import type { Capture, Captures } from './pattern.js';
import { type Clause, type Rule, rule, scopeOf } from './rule.js';
import type { SearchStep, Step } from './steps.js';

const MENTION =
  'mention|mentions|contain|contains|use|uses|have|has|include|includes|import|imports|reference|references|call|calls|define|defines|containing|mentioning|using|importing|including|with|require|requires|need|needs';
const OCCUR =
  'used|defined|mentioned|called|declared|set|imported|referenced|written|found|exported|assigned|implemented|documented|appearing';
const USES = 'occurrences|occurrence|uses|usages|usage|mentions|references|instances|matches|appearances|hits';
const MARKERS = 'notes|note|comments|comment|markers|marker|items|item|entries|lines|line|remarks|tags|reminders';
const FIND = 'find|show|list|get|collect|give|print|display|see|locate';
const IN = '[ <in> {scope:scope} ]';

/** A search written as `/…/` or called a regular expression is one. */
function search(captures: Captures, clause: Clause, wanted: SearchStep['wanted'], text: Capture | undefined): Step[] | undefined {
  if (!text || text.text.trim() === '') return undefined;
  const words = clause.tokens.map((token) => token.lower);
  const slashed = /^\/(.+)\/(i?)$/.exec(text.text);
  const isSlashed = slashed !== null && !text.isData && !/^\/[\w.-]+\/$/.test(text.text);
  const regex = isSlashed || words.some((word) => ['regex', 'regexp', 'regular'].includes(word));
  return [
    {
      kind: 'search',
      text: isSlashed ? (slashed[1] ?? '') : text.isData ? text.text : unplural(text.text),
      regex,
      ignoreCase: clause.ignoreCase || (isSlashed && slashed[2] === 'i'),
      scope: scopeOf(captures, clause),
      wanted,
    },
  ];
}

/** "TODOs" are lines with TODO. */
function unplural(text: string): string {
  if (/^(todo|fixme|hack|xxx|bug)s?$/i.test(text)) return text.toUpperCase().replace(/S$/, '');
  return text;
}

const isUnfit = (text: Capture | undefined): boolean =>
  !text ||
  (!text.isData && /^(it|its|that|this|them|their|you|me|a|the|all|files?|everything|something|anything)$/i.test(text.text));

export const COUNT_MATCH_RULES: readonly Rule[] = [
  rule(
    [
      `how many times|often does|do|is|are <noun> {text} occur|appear|show|come|used|mentioned|called|found [ up ] ${IN}`,
      `how often does|do|is|are <noun> {text} occur|appear|used|mentioned|called|found ${IN}`,
      `how many ${USES} of <noun> {text} are [ there ] ${IN}`,
      `how many {text} ${MARKERS} are [ there ] ${IN}`,
      `how many ${MARKERS} contain|have|mention|say <noun> {text} ${IN}`,
      `count [ the ] [ number of ] [ all ] [ the ] ${USES} of <noun> {text} ${IN}`,
      `count how many times|often <noun> {text} occurs|appears ${IN}`,
      `count how often <noun> {text} occurs|appears|is [ used ] ${IN}`,
      `count [ all ] [ the ] {text} ${MARKERS} ${IN}`,
    ],
    (captures, clause) => (isUnfit(captures.text) ? undefined : search(captures, clause, 'count', captures.text)),
  ),
  rule([`how many {text:one} are [ there ] [ left ] ${IN}`, `count [ all ] [ the ] {text:one} ${IN}`], (captures, clause) =>
    captures.text && (captures.text.isData || /^(TODO|FIXME|HACK|XXX)s?$/i.test(captures.text.text))
      ? search(captures, clause, 'count', captures.text)
      : undefined,
  ),
];

export const SEARCH_RULES: readonly Rule[] = [
  rule(
    [
      `which|what [ of the|these ] file|files|ones|module|modules|script|scripts ${MENTION} <noun> {text} ${IN}`,
      `which|what [ of the ] [ file|files ] <in> {scope:scope} ${MENTION} <noun> {text}`,
      `in which|what file|files is|are|does <noun> {text} [ ${OCCUR}|appear|occur ] ${IN}`,
      `${FIND} [ me ] [ all|the|every|any|each ] [ of the ] [ {kinds:one} ] file|files that|which ${MENTION} <noun> {text} ${IN}`,
      `${FIND} [ me ] [ all|the|every|any|each ] [ of the ] file|files ${MENTION} <noun> {text:data} ${IN}`,
      `${FIND} [ me ] [ all|the|every|any ] file|files containing|mentioning|using|importing <noun> {text} ${IN}`,
      `${FIND} [ me ] [ all|the|every|any ] file|files with <noun> {text} <in> them|it`,
      `${FIND} [ out ] which|what file|files ${MENTION} <noun> {text} ${IN}`,
    ],
    (captures, clause) => {
      // "files with the extension md", "files with test in the name" are about names.
      if (
        isUnfit(captures.text) ||
        /\b(extension|name|names|ending)\b/.test(captures.text?.isData ? '' : (captures.text?.text ?? ''))
      )
        return undefined;
      return search(captures, clause, 'files', captures.text);
    },
  ),
  rule(
    [
      'grep {text:one} {scope:scope}',
      `search|grep|scan|look|hunt|check [ <in> ] {scope:scope} for [ all ] [ ${USES} of ] [ the ] [ regular ] [ regex|regexp|pattern ] <noun> {text}`,
      `search|grep|scan|look|hunt [ for ] [ all|every|the ] [ ${USES} of ] [ the ] [ regular ] [ regex|regexp|pattern ] <noun> {text} ${MARKERS} ${IN}`,
      `search|grep|scan|look|hunt [ me ] [ for ] [ all|every|the|any ] [ ${USES} of|to ] [ the ] [ regular ] [ regex|regexp|pattern ] <noun> {text} ${IN}`,
      `${FIND} [ me ] [ all|every|the|any ] [ of the ] ${USES} of|to|for [ the ] [ regular ] [ regex|regexp|pattern ] <noun> {text} ${IN}`,
      `${FIND} [ me ] [ all|every|the|any ] [ of ] [ the ] ${MARKERS} [ that|which ] ${MENTION}|matching|match|say|says|saying [ the ] [ regular ] [ regex|regexp|pattern ] <noun> {text} ${IN}`,
      `${FIND} [ me ] [ out ] where <noun> {text} is|are ${OCCUR} ${IN}`,
      `${FIND} [ me ] [ out ] where <noun> {text} appears|occurs ${IN}`,
      `where is|are|do|does|did <noun> {text} [ get ] ${OCCUR}|occur|appear|come|live [ from ] ${IN}`,
      `where do|does [ we|i|the code ] ${MENTION}|mention|call|define|set <noun> {text} ${IN}`,
      `does|do|did {scope:scope} ${MENTION}|say <noun> {text}`,
      `is|are <noun> {text} ${OCCUR} [ anywhere ] ${IN}`,
      `is there [ a|an|any ] [ mention of ] <noun> {text:data} <in> {scope:scope}`,
      `are there any <noun> {text} [ ${MARKERS} ] [ left ] <in> {scope:scope}`,
    ],
    (captures, clause) => (isUnfit(captures.text) ? undefined : search(captures, clause, 'lines', captures.text)),
  ),
  rule(
    [
      `${FIND} [ me ] [ all|every|the|any ] [ of ] [ the|our|my ] {text:one} ${MARKERS} ${IN}`,
      `${FIND} [ me ] [ all|every|the|any ] [ of ] [ the|our|my ] {text:one} ${IN}`,
      `are there [ any ] {text:one} [ ${MARKERS} ] [ left ] ${IN}`,
    ],
    (captures, clause) => {
      const { text } = captures;
      const isMarker = text !== undefined && (/^[A-Z][A-Z0-9_]{2,}s?$/.test(text.text) || /^(todo|fixme)s?$/i.test(text.text));
      return isMarker && text.text !== 'README' ? search(captures, clause, 'lines', text) : undefined;
    },
  ),
];

/** After the rules for finding files: what is left to find is a text. */
export const FIND_TEXT_RULES: readonly Rule[] = [
  rule(
    [
      `find|locate [ me ] [ all|every ] <the> text|word|string|phrase|term|line|function|class|method|variable|constant|identifier|symbol|regex|pattern|lines|words {text} ${IN}`,
      `find|locate [ all|every ] {text:data} ${IN}`,
      `find|locate [ all|every ] [ the ] {text:one} [ ${MARKERS} ] ${IN}`,
      `find|locate {text} <in> {scope:scope}`,
    ],
    (captures, clause) => {
      const { text } = captures;
      if (isUnfit(text) || !text) return undefined;
      if (!captures.scope && (isGlob(text.text) || (isClearlyPath(text.text) && !isMember(text.text)))) return undefined;
      return search(captures, clause, 'lines', text);
    },
  ),
];
