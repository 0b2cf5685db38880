/** A file a request speaks of: named, or meant by a pronoun and known only when the earlier steps are done. */
export type FileRef =
  | { kind: 'path'; path: string; lines?: LineRange }
  /** The file last spoken of. */
  | { kind: 'it' }
  /** All files the last step found. */
  | { kind: 'them' }
  /** One of them; -1 is the last. */
  | { kind: 'nth'; index: number };

/** Lines count from 1. `last` counts from the end and excludes the others. */
export interface LineRange {
  from?: number;
  count?: number;
  last?: number;
}

/** Where to look. An empty folder path is the working folder. */
export type Scope = { kind: 'files'; files: FileRef[] } | { kind: 'folder'; path: string };

export type CountUnit = 'lines' | 'words' | 'characters' | 'bytes';

export interface SearchStep {
  kind: 'search';
  text: string;
  /** The text is a regular expression. */
  regex: boolean;
  ignoreCase: boolean;
  scope: Scope;
  /** What the request asked for. */
  wanted: 'lines' | 'files' | 'count';
}

export interface FindStep {
  kind: 'find';
  /** A glob for the name, or for the path when it has a slash. */
  glob: string;
  folder: string;
  ignoreCase: boolean;
  folders: boolean;
  wanted: 'paths' | 'count';
}

export interface ReplaceStep {
  kind: 'replace';
  /** `undefined`: the text the last step searched for. */
  oldText: string | undefined;
  newText: string;
  all: boolean;
  /** Only where it is not part of a longer word. */
  wholeWord: boolean;
  scope: Scope;
}

/** One thing to do. */
export type Step =
  | { kind: 'list'; folder: string; wanted: 'names' | 'count' }
  | FindStep
  | SearchStep
  | { kind: 'read'; file: FileRef; lines: LineRange }
  | { kind: 'count'; file: FileRef; unit: CountUnit }
  | { kind: 'write'; file: FileRef; content: string }
  | { kind: 'add'; file: FileRef; text: string; at: 'start' | 'end' }
  | ReplaceStep
  | { kind: 'run'; command: string; folder: string; timeout?: number }
  | { kind: 'runFile'; file: FileRef; timeout?: number }
  | { kind: 'runAgain' }
  | { kind: 'copy' | 'move'; from: FileRef; to: string }
  | { kind: 'makeFolder'; path: string }
  /** Nothing to do but to answer. */
  | { kind: 'say'; text: string }
  /** Part of the request's wording only ("and tell me the result"). */
  | { kind: 'nothing' }
  | { kind: 'resume' }
  | { kind: 'refuse'; reason: string }
  | { kind: 'unknown'; text: string };

export const IT: FileRef = { kind: 'it' };
export const IT_SCOPE: Scope = { kind: 'files', files: [IT] };
export const HERE: Scope = { kind: 'folder', path: '' };
