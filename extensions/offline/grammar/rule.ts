import { type Captures, compile, match, type Pattern } from './pattern.js';
import { type FileRef, HERE, IT, type Scope, type Step } from './steps.js';
import type { Token } from './tokens.js';

/** A part of a request that asks for one thing, without its polite wording. */
export interface Clause {
  tokens: readonly Token[];
  source: string;
  /** What was said beside the thing itself: "ignoring case", "with a timeout of 5 seconds". */
  ignoreCase: boolean;
  timeout: number | undefined;
  /** "In src/a.js, …" */
  scope: Scope | undefined;
}

export interface Rule {
  patterns: readonly string[];
  /** The steps asked for, or undefined when the words fit and the sense does not: then later rules are tried. */
  build: (captures: Captures, clause: Clause) => Step[] | undefined;
}

export const rule = (patterns: readonly string[], build: Rule['build']): Rule => ({ patterns, build });

const compiled = new Map<string, Pattern>();

function patternOf(source: string): Pattern {
  const known = compiled.get(source);
  if (known) return known;
  const pattern = compile(source);
  compiled.set(source, pattern);
  return pattern;
}

export function applyRules(rules: readonly Rule[], clause: Clause): Step[] | undefined {
  for (const { patterns, build } of rules) {
    for (const source of patterns) {
      const captures = match(patternOf(source), clause.tokens, clause.source);
      const steps = captures && build(captures, clause);
      if (steps) return steps;
    }
  }
  return undefined;
}

/** The file a clause is about: captured, said before ("In a.txt, …"), or the last one spoken of. */
export function fileOf(captures: Captures, clause: Clause): FileRef {
  const { file } = captures;
  if (file?.file) return file.file;
  return clause.scope?.kind === 'files' ? (clause.scope.files[0] ?? IT) : IT;
}

export function scopeOf(captures: Captures, clause: Clause, otherwise: Scope = HERE): Scope {
  return captures.scope?.scope ?? clause.scope ?? otherwise;
}

export function folderOf(captures: Captures, clause: Clause): string {
  return captures.folder?.folder ?? (clause.scope?.kind === 'folder' ? clause.scope.path : '');
}
