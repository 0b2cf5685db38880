import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** The guarantees that hold now. A test of one begins its name with `G<number>: `. */
const GUARANTEES = Array.from({ length: 39 }, (_, index) => index + 1);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const THIS_FILE = fileURLToPath(import.meta.url);

function testFiles(folder: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => path.join(ROOT, folder, name));
}

/** The names given to `it`, `test` and `describe`, with their `.each`, `.skipIf` and so on. */
function testNames(file: string): string[] {
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(it|test|describe)\b/.test(node.expression.getText(source)) && node.arguments[0]) {
      const [name] = node.arguments;
      if (ts.isStringLiteralLike(name)) names.push(name.text);
      else if (ts.isTemplateExpression(name)) names.push(name.head.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

it('each guarantee has a test whose name begins with its number', () => {
  const files = [...testFiles('test'), ...testFiles('extensions')].filter((file) => file !== THIS_FILE);
  const cited = new Set(files.flatMap(testNames).flatMap((name) => name.match(/^G(\d+): /)?.[1] ?? []));
  expect(files.length).toBeGreaterThan(0);
  expect(GUARANTEES.filter((number) => !cited.has(String(number)))).toEqual([]);
});
