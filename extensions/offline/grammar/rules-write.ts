import type { Capture, Captures } from './pattern.js';
import { type Clause, fileOf, type Rule, rule } from './rule.js';
import { IT, type Step } from './steps.js';
import { unescapeText } from './tokens.js';

/** "a poem", "some tests", "your name": something to be thought of, not a text to be written down. */
const NEEDS_INVENTION =
  /^(a|an|some|the|your|my|our|more|new|something|anything|what|how|why|tests?|code|documentation|it|that|this|them)\b/i;

/** The text to write, or undefined when it is not a text but a wish. */
export function contentOf(capture: Capture | undefined): string | undefined {
  if (!capture) return undefined;
  if (capture.isData) {
    const [token] = capture.tokens;
    return token?.kind === 'quoted' ? unescapeText(capture.text) : capture.text;
  }
  return NEEDS_INVENTION.test(capture.text) ? undefined : capture.text;
}

/** After a noun ("the text a poem") the words are meant as they stand. */
function literal(captures: Captures): string | undefined {
  return captures.text ? (captures.text.isData ? contentOf(captures.text) : captures.text.text) : contentOf(captures.content);
}

const MAKE = 'create|make|write|generate|produce|start|save|add';
const TEXT = 'text|content|contents|line|lines|word|words|sentence|string|body';
const SAYING = 'with|containing|having|saying|reading|including|holding';
const THAT_SAYS = 'that|which says|contains|reads|has|holds|includes';

export const ADD_RULES: readonly Rule[] = [
  rule(
    [
      `append|add|insert|put|write [ the|a|this ] [ new|following|another ] [ ${TEXT} ] {content:data} to|at|on|as|into [ the ] [ very ] {where:one} [ line ] of|in {file:word}`,
      `append|add|insert [ the|a|this ] [ new|following|another ] [ ${TEXT} ] {content:data} to|at [ the ] [ very ] {where:one}`,
      `append|add|insert [ the|a|this ] [ new|following|another ] [ ${TEXT} ] {content:data} to|into|in {file:word}`,
      `append|add|insert [ the|a ] [ new ] line|text {text} to|at [ the ] [ very ] {where:one} of {file:word}`,
      `append|add|insert [ the|a ] [ new ] line|text {text} to|into|in {file:word}`,
      `append|add to {file:word} [ the|a|this ] [ new|following ] [ ${TEXT} ] {content:data}`,
      `append|add to {file:word} the line|text {text}`,
      `append {content} to [ the end of ] {file:word}`,
      `add {content} to the {where:one} of {file:word}`,
      `add {content} to {file:word}`,
      `prepend [ the|a ] [ ${TEXT} ] {content:data} to {file:word}`,
    ],
    (captures, clause) => {
      const text = literal(captures);
      const { where } = captures;
      if (text === undefined) return undefined;
      if (where && !/^(end|bottom|top|start|beginning|front|head)$/.test(where.text.toLowerCase())) return undefined;
      const isFirst = clause.tokens[0]?.lower === 'prepend' || (where !== undefined && !/^(end|bottom)$/i.test(where.text));
      return [{ kind: 'add', file: fileOf(captures, clause), text, at: isFirst ? 'start' : 'end' }];
    },
  ),
];

export const WRITE_RULES: readonly Rule[] = [
  rule(
    [
      'create|make|add [ a|the ] [ new ] [ empty ] folder|directory|dir [ called|named ] {path:one}',
      'mkdir [ -p ] {path:one}',
      'create|make [ a|the ] {path:one} folder|directory',
    ],
    ({ path }) => (path ? [{ kind: 'makeFolder', path: path.text }] : undefined),
  ),
  rule(
    [`${MAKE} [ me ] [ an|a|the ] [ new ] empty|blank [ text ] [ file ] <called> {file:word}`, 'touch {file:word}'],
    ({ file }) => write(file, ''),
  ),
  rule(
    [
      `write|put|save|store|place|echo|enter|record|set [ down ] [ the ] [ following ] [ ${TEXT} ] {content:data} to|in|into|as|inside|under [ a ] [ new ] [ text ] [ file ] <called> {file:word}`,
      `${MAKE}|put|overwrite|fill [ me ] [ in|into|to ] [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} ${SAYING} [ only|just|exactly ] [ the|this|as ] [ single|following ] [ ${TEXT} ] {content:data}`,
      `${MAKE} [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} ${THAT_SAYS} [ only|just|exactly ] {content:data}`,
      `${MAKE} [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} and write|put [ the ] [ ${TEXT} ] {content:data} [ in|into|to it ]`,
      `${MAKE} [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} its|the content|contents|text should be|is {content:data}`,
      `write|put|save [ in|into|to ] {file:word} [ the ] [ following ] [ ${TEXT} ] {content:data}`,
      `${MAKE} [ a ] [ new ] [ text ] file ${SAYING} [ the ] [ following ] [ ${TEXT} ] {content:data} called|named|as|in|at|under {file:word}`,
      `${MAKE} {file:file} {content:block}`,
      `${MAKE}|put [ the|this ] [ following|code|text ] {content:block} [ in|into|to|as {file:word} ]`,
      `write|put|save [ the|this ] following [ ${TEXT} ] to|in|into|as [ a|the ] [ new ] [ file ] <called> {file:word} {content:block}`,
    ],
    (captures) => {
      const content = literal(captures);
      return content === undefined ? undefined : write(captures.file, content);
    },
  ),
  rule(
    [
      `write|put|save|store [ the|a ] ${TEXT} {text} to|in|into|as|inside [ a|the ] [ new ] [ text ] [ file ] <called> {file:word}`,
      `write|put|save|store|echo {content} to|in|into|as|inside [ a|the ] [ new ] [ text ] [ file ] <called> {file:file}`,
      `${MAKE}|overwrite|fill [ me ] [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} ${SAYING} [ the ] [ following ] ${TEXT} {text}`,
      `${MAKE}|overwrite|fill [ me ] [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} ${SAYING} {content}`,
      `${MAKE} [ a|an|the ] [ new ] [ text ] [ file ] <called> {file:word} ${THAT_SAYS} [ just|only ] {content}`,
    ],
    (captures) => {
      const content = literal(captures);
      return content === undefined ? undefined : write(captures.file, content);
    },
  ),
  rule(
    [
      `create|make [ a|an|the ] [ new ] [ text ] file called|named {file:word}`,
      'create|make [ a|the ] [ new ] [ text ] [ file ] {file:file}',
    ],
    ({ file }) => write(file, ''),
  ),
];

function write(capture: Capture | undefined, content: string): Step[] {
  // "Put it in that file" is no wish to lose what is there.
  const file = capture?.file ?? IT;
  if (file.kind !== 'path' && content !== '') return [{ kind: 'add', file, text: content, at: 'end' }];
  return [{ kind: 'write', file, content }];
}

/** Whether a clause begins like a request to write, so that the lines after its colon are the text to write. */
export const startsWriting = (clause: Clause): boolean =>
  /^(write|create|make|save|put|append|add|generate|overwrite|prepend)$/.test(clause.tokens[0]?.lower ?? '');
