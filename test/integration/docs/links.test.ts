import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readDocument } from './doc-blocks.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const named = (folder: string): string[] =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name));
const documents = [...named('.'), ...named('docs')];

/** As hosts of repositories make them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

function linksOf(document: string): string[] {
  const text = readDocument(document).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] ?? '').filter((link) => !/^[a-z]+:/.test(link));
}

it.each(documents)('the links of %s lead somewhere', (document) => {
  const broken = linksOf(document).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? document : path.posix.join(path.posix.dirname(document), file);
    if (!fs.existsSync(path.join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(readDocument(target)).has(anchor);
  });
  expect(broken).toEqual([]);
});

it('every page of docs/ is named by the README', () => {
  const linked = new Set(linksOf('README.md'));
  expect(documents.filter((document) => document.startsWith('docs/') && !linked.has(document))).toEqual([]);
});
