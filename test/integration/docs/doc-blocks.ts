import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);

/** A fenced block of a document. */
export interface Block {
  language: string;
  text: string;
  /** Line of the document its text begins in, from 1. */
  line: number;
}

/** `name` from the root of the repository, as `docs/trust.md`. */
export function readDocument(name: string): string {
  return fs.readFileSync(fileURLToPath(new URL(name, ROOT)), 'utf8');
}

/** The fenced blocks, in their order. Those of a list are indented as a whole. */
export function blocksOf(document: string): Block[] {
  return [...document.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: text = '' }) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: document.slice(0, index).split('\n').length + 1,
    }),
  );
}

/** Lines of a shell block, without their comments. A line that ends with a backslash goes on in the next one. */
export function shellLines({ text }: Block): string[] {
  return text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}

/** The file a block of TypeScript or JSON is meant to be: its first line says so. */
export function fileNameOf({ text }: Block): string | undefined {
  return /^\/\/ (\S+)\n/.exec(text)?.[1];
}

/** Rows of the table between `<!-- name: … -->` and `<!-- /name -->`, without its head; each a list of cells. */
export function tableOf(document: string, name: string): string[][] {
  const region = new RegExp(`<!-- ${name}:.*-->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(document)?.[1];
  if (region === undefined) throw new Error(`The document has lost the markers of its table "${name}"`);
  return rowsOf(region);
}

/** Rows of the table under a heading. */
export function tableUnder(document: string, heading: string): string[][] {
  const at = document.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`The document has lost its heading "${heading}"`);
  const rest = document.slice(at + heading.length + 2);
  return rowsOf(rest.slice(0, /^#/m.exec(rest)?.index ?? rest.length));
}

function rowsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows
    .filter((_, at) => !/^\| ?-/.test(rows[at] ?? '') && !/^\| ?-/.test(rows[at + 1] ?? ''))
    .map((row) =>
      row
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** Names in code marks; of `find(a, b)` only `find`. */
export function codeNames(cell: string): string[] {
  return [...cell.matchAll(/`([A-Za-z_][\w.]*)(?=[`(])/g)].map((match) => match[1] ?? '');
}
