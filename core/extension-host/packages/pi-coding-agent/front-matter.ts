import { frontMatterLibrary } from './sync-libraries.js';

export interface ParsedFrontmatter<T> {
  frontmatter: T;
  body: string;
}

const BLOCK = /^---[^\S\n]*\n(?:([\s\S]*?)\n)?---[^\S\n]*(?:\n|$)/;

/** The YAML between `---` lines at the beginning, and what follows, trimmed. Throws on YAML that can't be read. Runs nothing. */
export function parseFrontmatter<T extends Record<string, unknown> = Record<string, unknown>>(
  content: string,
): ParsedFrontmatter<T> {
  const text = content.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
  const match = BLOCK.exec(text);
  if (!match) return { frontmatter: {} as T, body: text }; // the caller says what it hopes to find
  const body = text.slice(match[0].length).trim();
  const yaml = match[1]?.trim() ?? '';
  if (yaml === '') return { frontmatter: {} as T, body };
  const refuse = (): never => {
    throw new Error('front matter is never executed');
  };
  const { data } = frontMatterLibrary()(`---\n${yaml}\n---\n`, {
    language: 'yaml',
    engines: { javascript: refuse, js: refuse, coffee: refuse },
  });
  // The library remembers what it parsed and hands the same object to everybody.
  return { frontmatter: { ...data } as T, body };
}

/** What follows the front matter. */
export function stripFrontmatter(content: string): string {
  const text = content.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
  const match = BLOCK.exec(text);
  return match ? text.slice(match[0].length).trim() : text;
}
