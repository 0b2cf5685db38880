import { expect, it } from 'vitest';
import { blankSource } from '../../../../core/app/ext-kit/blank-source.js';
import { readSource } from '../../../../core/app/ext-kit/module-graph.js';

it.each([
  ['a // b\nc', 'a     \nc'],
  ['a /* b\nc */ d', 'a     \n     d'],
  ['f("a\\"b", 1)', 'f("    ", 1)'],
  ["f('// no comment') // one", "f('             ')       "],
  ['a / b / c', 'a / b / c'],
  ['x = /a[/]b"/.test(y)', 'x = /      /.test(y)'],
  ['`a ${b(`c ${d} e`) + {e: 1}.e} f` + g', '`  ${b(`  ${d}  `) + {e: 1}.e}  ` + g'],
  ['const broken = "a\nui.custom()', 'const broken = "\x20\nui.custom()'],
])('%j is %j, every character of code in its place', (source, blanked) => {
  expect(blankSource(source)).toBe(blanked);
  expect(blankSource(source)).toHaveLength(source.length);
});

it('imports are read with their names, types apart, and those in texts and comments are none', () => {
  const { specifiers, names } = readSource(
    '/e.ts',
    `import a, { b as c, type D } from 'one';
import type { E } from 'two';
import type from 'three';
import * as all from "four";
import 'five';
export { f } from './six.js';
const later = await import('seven'), old = require('eight');
// import { no } from 'nine'
const text = "import { no } from 'ten'";`,
  );
  expect(specifiers).toEqual(['one', 'two', 'three', 'four', 'five', './six.js', 'seven', 'eight']);
  expect(names.map(({ specifier, name, line }) => `${line} ${specifier} ${name}`)).toEqual([
    '1 one b',
    '4 four *',
    '6 ./six.js f',
  ]);
});
