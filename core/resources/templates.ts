import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { parseFrontMatter } from './front-matter.js';
import { readResource } from './read-resource.js';
import type { ResourceFile, ResourceOrigin } from './resource-files.js';

/** A prompt template, `/name` in a user's text. */
export interface PromptTemplate {
  name: string;
  /** From the front matter, else the first line of the text. */
  description: string;
  /** For people who type the command, such as `<file> [focus]`. */
  argumentHint: string | undefined;
  body: string;
  path: string;
  origin: ResourceOrigin;
}

const MAX_FIRST_LINE = 120;

export async function readTemplate(file: ResourceFile): Promise<{ template?: PromptTemplate; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const report = (severity: Diagnostic['severity'], message: string, line?: number): void => {
    diagnostics.push({
      kind: 'prompt',
      severity,
      message: `${file.path}: ${message}`,
      path: file.path,
      ...(line === undefined ? {} : { line }),
    });
  };
  const name = path.basename(file.path).replace(/\.md$/, '');
  if (/[\s\p{Cc}]/u.test(name) || name === '') {
    report('error', 'its name has blanks or control characters, so it can not be typed as a command');
    return { diagnostics };
  }
  const text = await readResource(file.path, (message) => report('error', message));
  if (text === undefined) return { diagnostics };
  const { data, body, problems } = await parseFrontMatter(text);
  for (const { severity, message, line } of problems) report(severity, message, line);
  // What is wrong with the head of a file is no reason to send it to a model.
  if (!data && problems.some(({ severity }) => severity === 'error')) return { diagnostics };
  const trimmed = body.trim();
  const described = typeof data?.description === 'string' ? data.description.trim() : '';
  const firstLine = trimmed.split('\n')[0] ?? '';
  const hint = data?.['argument-hint'];
  return {
    template: {
      name,
      description: described || (firstLine.length > MAX_FIRST_LINE ? `${firstLine.slice(0, MAX_FIRST_LINE)}…` : firstLine),
      argumentHint: typeof hint === 'string' ? hint : undefined,
      body: trimmed,
      path: file.path,
      origin: file.origin,
    },
    diagnostics,
  };
}
