import { hiddenProblem, rescueBlock } from './front-matter-rescue.js';
import { isPlainObject } from './setting-kinds.js';
import { BlockProblem, type ParsedBlock, readBlock } from './yaml-block.js';

export interface FrontMatter extends ParsedBlock {
  /** What follows the block, with LF line ends. */
  body: string;
  /** Where a field stands in the file, from 1; the first line for one that is not there. */
  lineOf(key: string): number;
}

/**
 * The YAML at the head of a Markdown file. Strict YAML first; when that fails, plain `key: value` lines are taken as they stand and a
 * warning says so (guarantee 20). Never executes anything: any language but YAML and JSON is refused by name. Never throws.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const unmarked = text.replace(/^\ufeff/, '');
  const clean = unmarked.includes('\r') ? unmarked.replace(/\r\n?/g, '\n') : unmarked;
  const none: FrontMatter = { data: undefined, body: clean, problems: [], lineOf: () => 1 };
  const opening = /^---([^\n]*)(?:\n|$)/.exec(clean);
  const language = (opening?.[1] ?? '').trim().toLowerCase();
  // A line of more dashes is a rule, not a block.
  if (!opening || language.startsWith('-')) return none;
  const refuse = (message: string): FrontMatter => ({ ...none, problems: [{ severity: 'error', message, line: 1 }] });
  if (language !== '' && language !== 'yaml' && language !== 'json') {
    return refuse(`front matter in "${language.slice(0, 40)}" is never read: only YAML and JSON are`);
  }
  const start = opening[0].length;
  const end = /^---[ \t]*(?:\n|$)/m.exec(clean.slice(start));
  if (!end) return refuse('the front matter is not closed by a line "---"');
  const block = clean.slice(start, start + end.index);
  const body = clean.slice(start + end.index + end[0].length);
  const lines = block.split('\n');
  const lineOf = (key: string): number => {
    const at = lines.findIndex((line) => line.startsWith(`${key}:`) || line.includes(`"${key}":`));
    // The block begins in the second line.
    return at < 0 ? 1 : at + 2;
  };
  return { ...(await parseBlock(block, language === 'json' ? 'json' : 'yaml')), body, lineOf };
}

async function parseBlock(block: string, language: 'yaml' | 'json'): Promise<ParsedBlock> {
  const simple = language === 'yaml' ? simpleYaml(block) : undefined;
  if (simple) return { data: simple, problems: [] };
  const hidden = language === 'yaml' ? hiddenProblem(block) : undefined;
  if (hidden) return rescueBlock(block, hidden);
  const refuse = (message: string, line: number): ParsedBlock => ({
    data: undefined,
    problems: [{ severity: 'error', message, line }],
  });
  try {
    const data = await readBlock(block, language);
    if (isPlainObject(data)) return { data, problems: [] };
    return refuse('the front matter must be lines of the form "key: value"', 2);
  } catch (error) {
    if (!(error instanceof BlockProblem)) throw error;
    if (language === 'json') return refuse(`the front matter is not valid JSON: ${error.message}`, 2);
    return rescueBlock(block, error);
  }
}

/** A value that YAML reads as the text it is: no quotes, no special beginning, no number, date or word with a meaning. */
const PLAIN_VALUE = /^[A-Za-z\u00c0-\ud7ff](?:(?!: |:$| #)[^\p{Cc}\u2028\u2029\ufeff\ufffe\uffff])*$/u;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** Blocks of nothing but plain texts and true or false, which most are: read without loading a YAML parser. */
function simpleYaml(block: string): Record<string, unknown> | undefined {
  const data: Record<string, unknown> = {};
  for (const line of block.split('\n')) {
    if (line === '') continue;
    const match = /^([A-Za-z][\w-]*): +(\S(?:.*\S)?)$/.exec(line);
    const [, key, value] = match ?? [];
    if (key === undefined || value === undefined || Object.hasOwn(data, key)) return undefined;
    if (value === 'true' || value === 'false') data[key] = value === 'true';
    else if (PLAIN_VALUE.test(value) && !WORDS.test(value) && !value.endsWith(':')) data[key] = value;
    else return undefined;
  }
  return data;
}
