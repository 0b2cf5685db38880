import { messageOf } from '../base/coded-error.js';

export interface FrontMatter {
  /** Undefined when there is no block, or it can't be used. */
  data: Readonly<Record<string, unknown>> | undefined;
  /** What follows the block, with LF line ends. */
  body: string;
  problems: FrontMatterProblem[];
}

export interface FrontMatterProblem {
  severity: 'error' | 'warning';
  message: string;
  /** In the file, from 1. */
  line: number;
}

/**
 * The YAML at the head of a Markdown file. Strict YAML first; when that fails, plain `key: value` lines are taken as they stand and a
 * warning says so (guarantee 20). Never executes anything: any language but YAML and JSON is refused by name.
 */
export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const clean = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const opening = /^---([^\n]*)(?:\n|$)/.exec(clean);
  if (!opening) return { data: undefined, body: clean, problems: [] };
  const language = (opening[1] ?? '').trim().toLowerCase();
  const refuse = (message: string, line: number): FrontMatter => ({
    data: undefined,
    body: clean,
    problems: [{ severity: 'error', message, line }],
  });
  // A line of more dashes is a rule, not a block.
  if (language.startsWith('-')) return { data: undefined, body: clean, problems: [] };
  if (language !== '' && language !== 'yaml' && language !== 'json') {
    return refuse(`front matter in "${language}" is never read: only YAML and JSON are`, 1);
  }
  const start = opening[0].length;
  const end = /^---[ \t]*(?:\n|$)/m.exec(clean.slice(start));
  if (!end) return refuse('the front matter is not closed by a line "---"', 1);
  const block = clean.slice(start, start + end.index);
  const body = clean.slice(start + end.index + end[0].length);
  return { ...(await parseBlock(block, language === 'json' ? 'json' : 'yaml')), body };
}

async function parseBlock(block: string, language: 'yaml' | 'json'): Promise<Omit<FrontMatter, 'body'>> {
  const simple = language === 'yaml' ? simpleYaml(block) : undefined;
  if (simple) return { data: simple, problems: [] };
  try {
    const { default: matter } = await import('gray-matter');
    const never = (): never => {
      throw new Error('front matter is never executed');
    };
    const { data } = matter(`---\n${block}\n---\n`, { language, engines: { javascript: never, js: never, coffee: never } });
    // gray-matter remembers what it parsed and hands the same object to everybody.
    return { data: { ...(data as Record<string, unknown>) }, problems: [] };
  } catch (error) {
    return language === 'yaml'
      ? rescue(block, error)
      : { data: undefined, problems: [{ severity: 'error', message: messageOf(error), line: 1 }] };
  }
}

/** A value that YAML reads as the text it is: no quotes, no special beginning, no number, date or word with a meaning. */
const PLAIN_VALUE = /^[A-Za-z\u00c0-\uffff](?:(?!: |:$| #)[^\n\t])*$/;
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

/** Takes plain `key: value` lines as they stand. Whatever looks like more than plain text is reported instead. */
function rescue(block: string, error: unknown): Omit<FrontMatter, 'body'> {
  const data: Record<string, unknown> = {};
  const reason = messageOf(error).split('\n')[0] ?? '';
  for (const [index, line] of block.split('\n').entries()) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const match = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line);
    const value = match?.[2]?.trim();
    if (!match?.[1] || value === undefined || /^[[\]{}&*!|>'"%@`?-]/.test(value)) {
      return {
        data: undefined,
        problems: [{ severity: 'error', message: `the front matter is not valid YAML: ${reason}`, line: index + 2 }],
      };
    }
    data[match[1]] = value === 'true' ? true : value === 'false' ? false : value.replace(/\t/g, ' ');
  }
  const message = `the front matter is not valid YAML (${reason}); its lines were taken as plain text. Put values with ": " into quotes`;
  return { data, problems: [{ severity: 'warning', message, line: 2 }] };
}
