import { isPlainObject } from './setting-kinds.js';
import { BlockProblem, type FrontMatterProblem, type ParsedBlock, readBlock } from './yaml-block.js';

/** One field of a block as it was written: its first line and those that belong to it. */
interface Field {
  key: string | undefined;
  lines: string[];
  /** Of its first line, in the block, from 0. */
  at: number;
}

/** Why a block can't be valid YAML although the parser would take it. */
export function hiddenProblem(block: string): BlockProblem | undefined {
  return TAB_INDENT.test(block) ? new BlockProblem('tabs can not indent', undefined) : undefined;
}

/**
 * Reads a block that is not valid YAML field by field. A field that is valid by itself keeps its meaning; one that is plain text is
 * taken as it stands, with a warning; anything else is an error, and then nothing of the block is used. `problem` is what YAML said
 * of the whole.
 */
export async function rescueBlock(block: string, problem: BlockProblem): Promise<ParsedBlock> {
  const data: Record<string, unknown> = {};
  const problems: FrontMatterProblem[] = [];
  const tell = (severity: 'error' | 'warning', message: string, at: number): void => {
    // The block begins in the second line of the file.
    problems.push({ severity, message, line: at + 2 });
  };
  for (const field of fieldsOf(block)) {
    const { key, at } = field;
    if (key === undefined) {
      tell('error', `the front matter is not valid YAML: ${problem.message}`, at);
    } else if (Object.hasOwn(data, key)) {
      tell('warning', `"${key}" is there twice; the first one counts`, at);
    } else {
      const { value, error, warning } = await readField(field);
      if (error !== undefined) tell('error', `the value of "${key}" is not valid YAML: ${error}`, at);
      else data[key] = value;
      if (warning !== undefined) tell('warning', warning, at);
    }
  }
  const failed = problems.filter(({ severity }) => severity === 'error');
  // One error is enough to say that the block is not used.
  if (failed[0]) return { data: undefined, problems: [failed[0]] };
  if (problems.length === 0) tell('warning', `the front matter is not valid YAML: ${problem.message}`, problem.line ?? 0);
  return { data, problems };
}

/** A line that begins a field stands at the left edge; comments, blank lines, list items and closing brackets belong to the field above. */
function fieldsOf(block: string): Field[] {
  const fields: Field[] = [];
  for (const [at, line] of block.split('\n').entries()) {
    const last = fields.at(-1);
    const isMore = line.trim() === '' || /^[\s#\]}]|^- /.test(line);
    if (last && isMore) last.lines.push(line);
    else if (line.trim() !== '' && !/^\s*#/.test(line)) {
      fields.push({ key: /^([A-Za-z_][\w-]*):(?:\s|$)/.exec(line)?.[1], lines: [line], at });
    }
  }
  return fields;
}

/** A line that a tab indents. YAML forbids it; the parser takes some for fields of the block itself, so it never gets to see one. */
const TAB_INDENT = /^\t.*\S/m;

async function readField({ key, lines }: Field): Promise<{ value?: unknown; error?: string; warning?: string }> {
  const text = lines.join('\n');
  const isTabbed = TAB_INDENT.test(text);
  const strict = await tryYaml(isTabbed ? text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll('\t', '  ')) : text, key);
  if (!('error' in strict))
    return isTabbed ? { ...strict, warning: `"${key}" is indented with tabs, which YAML does not allow` } : strict;
  const plain = plainText(lines);
  if (plain === undefined) return strict;
  return {
    value: plain,
    warning: `the value of "${key}" is not valid YAML (${strict.error}); it was taken as plain text. Put it into quotes`,
  };
}

async function tryYaml(text: string, key: string | undefined): Promise<{ value: unknown } | { error: string }> {
  try {
    const data = await readBlock(text, 'yaml');
    if (isPlainObject(data) && key !== undefined && Object.hasOwn(data, key)) return { value: data[key] };
    return { error: 'it is no "key: value"' };
  } catch (error) {
    if (error instanceof BlockProblem) return { error: error.message };
    throw error;
  }
}

/** The text of a plain value, its lines joined; undefined for what begins like anything else, or holds what no text does. */
function plainText(lines: readonly string[]): string | undefined {
  const [first = '', ...more] = lines;
  const value = first.replace(/^[^:]*:/, '').trim();
  if (value === '' || /^[[\]{}&*!|>'"%@`?-]/.test(value)) return undefined;
  const rest = more.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const text = [value, ...rest].join(' ').replaceAll('\t', ' ');
  return /\p{Cc}/u.test(text) ? undefined : text;
}
