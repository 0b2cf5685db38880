import { messageOf } from '../base/coded-error.js';

/** The fields of a block of front matter. */
export interface ParsedBlock {
  /** Undefined when there is no block, or it can't be used. */
  data: Readonly<Record<string, unknown>> | undefined;
  problems: FrontMatterProblem[];
}

export interface FrontMatterProblem {
  severity: 'error' | 'warning';
  message: string;
  /** In the file, from 1. */
  line: number;
}

/** Why a text is not YAML or JSON, in one line. */
export class BlockProblem extends Error {
  constructor(
    message: string,
    /** In the block, from 0; undefined when the parser does not say. */
    readonly line: number | undefined,
  ) {
    super(message);
  }
}

/** A text that is read as data has no NUL in it, so that these never end the block early. */
const DELIMITERS: [string, string] = ['---\0', '\0---'];

/**
 * What YAML, or JSON, makes of a block of front matter. Throws {@link BlockProblem}. Nothing in it is ever executed: the library's
 * engines for program code are replaced by refusals.
 */
export async function readBlock(block: string, language: 'yaml' | 'json'): Promise<unknown> {
  const { default: matter } = await import('gray-matter');
  try {
    const { data } = matter(`${DELIMITERS[0]}\n${block}\n${DELIMITERS[1]}\n`, {
      language,
      delimiters: DELIMITERS,
      engines: { javascript: never, js: never, coffee: never },
    });
    return data;
  } catch (error) {
    throw new BlockProblem(reasonOf(error), lineOf(error));
  }
}

function never(): never {
  throw new Error('front matter is never executed');
}

function reasonOf(error: unknown): string {
  const reason: unknown = error instanceof Error ? Reflect.get(error, 'reason') : undefined;
  const text = typeof reason === 'string' && reason !== '' ? reason : messageOf(error);
  return (text.split('\n')[0] ?? '').trim();
}

/** The YAML parser counts the line of the opening dashes as 0. */
function lineOf(error: unknown): number | undefined {
  const mark: unknown = error instanceof Error ? Reflect.get(error, 'mark') : undefined;
  const line: unknown = typeof mark === 'object' && mark !== null ? Reflect.get(mark, 'line') : undefined;
  return typeof line === 'number' ? Math.max(0, line - 1) : undefined;
}
