import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { parseFrontMatter } from './front-matter.js';
import { withoutControls } from './printable.js';
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

/** Reads one template. A file that names no command, or whose head can't be read, is not loaded. */
export async function readTemplate(file: ResourceFile): Promise<{ template?: PromptTemplate; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const report = (severity: Diagnostic['severity'], message: string, line = 1): void => {
    diagnostics.push({ kind: 'prompt', severity, message: `${file.path}, line ${line}: ${message}`, path: file.path, line });
  };
  const name = path.basename(file.path).replace(/\.md$/, '');
  const flaw = flawOfName(name);
  if (flaw !== undefined) {
    report('error', `${flaw}, so it is not loaded`);
    return { diagnostics };
  }
  const text = await readResource(file.path, report);
  if (text === undefined) return { diagnostics };
  const { data, body, problems, lineOf } = await parseFrontMatter(text);
  for (const { severity, message, line } of problems) report(severity, message, line);
  // What is wrong with the head of a file is no reason to send it to a model.
  if (!data && problems.some(({ severity }) => severity === 'error')) return { diagnostics };
  const textOf = (key: string): string | undefined => {
    const value = data?.[key];
    if (typeof value === 'string') return withoutControls(value).trim();
    if (value !== undefined && value !== null) report('warning', `"${key}" must be a text: put it into quotes`, lineOf(key));
    return undefined;
  };
  const trimmed = body.trim();
  const template: PromptTemplate = {
    name,
    description: textOf('description') || firstLine(trimmed),
    argumentHint: textOf('argument-hint'),
    body: trimmed,
    path: file.path,
    origin: file.origin,
  };
  return { template, diagnostics };
}

/** Why a name can't be typed as a command. */
function flawOfName(name: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(name)) return 'its name has blanks or control characters';
  if (name === '' || name === '.' || name === '..') return `"/${name}" can't be a command`;
  return name.startsWith('skill:') ? 'commands that begin with "skill:" are those of skills' : undefined;
}

function firstLine(text: string): string {
  const line = withoutControls(text.split('\n')[0] ?? '');
  return line.length > MAX_FIRST_LINE ? `${line.slice(0, MAX_FIRST_LINE)}…` : line;
}
