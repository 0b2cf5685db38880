import { describe, expect, it } from 'vitest';
import { type ScannedModule, scanModule } from '../../../../core/extension-host/process/transpile/scan-module.js';
import { loadSucrase } from '../../../../core/extension-host/process/transpile/sucrase.js';

const sucrase = await loadSucrase();

const scan = (source: string, { typeScript = true, jsx = false } = {}): ScannedModule =>
  scanModule(source, sucrase.parse(source, jsx, typeScript, false), sucrase.types);

describe('a scanned source', () => {
  it.each([
    ['import a from "a";', 'module'],
    ['export {};', 'module'],
    ['const here = import.meta.url;', 'module'],
    ['await later();', 'module'],
    ['module.exports = require("a");', 'script'],
    ['import("a").then(run);', 'script'],
    [
      'o.import("a"); o = { export: 1, import: 2, await: 3 }; o.export; o?.await; class A { import() {} #import() { this.#import("x"); } }',
      'script',
    ],
    ['const text = `${a}import${b}export${c}await${d}`; "import"; // import a from "a"', 'script'],
    ['let x: import("a").T; type U = typeof import("b");', 'script'],
  ])('%s is a %s', (source, form) => {
    expect(scan(source).form).toBe(form);
  });

  it.each([
    ['await a;', true],
    ['for await (const a of b) {}', true],
    ['const a = `${await b}`;', true],
    ['if (a) { await b; }', true],
    ['class A { static a = 1; [await key] = 2 }', true],
    ['export default await a;', true],
    ['async () => { await a; };', false],
    ['async () => await a;', false],
    ['async function f(a = 1) { for await (const b of c) {} }', false],
    ['class A { async m() { await a; } b = async () => { await c; }; }', false],
    ['const o = { async m() { await a; }, await: 1 }; o.await;', false],
    ['var await = 1;', false],
  ])('%s waits while it loads: %s', (source, awaits) => {
    expect(scan(source).awaits).toBe(awaits);
  });

  it.each([
    ['namespace A { export const a = 1; }', true],
    ['export namespace A.B { let b; }', true],
    ['module A { let b; }', true],
    ['declare namespace A { const a: number; }', false],
    ['declare module "a" { const a: number; }', false],
    ['declare global { interface Window {} }', false],
    ['const namespace = 1, module = { a: 1 }; f(namespace, module.a);', false],
    ['@mark class A {}', true],
    ['class A { @mark b = 1; }', true],
    ['const a = `${b}@${c}`;', false],
    ['import * as A from "a"; import b = A.c;', true],
    ['import a = require("a");', false],
    ['export import a = require("a");', false],
  ])('%s needs the larger compiler: %s', (source, needsLowering) => {
    expect(scan(source).needsLowering).toBe(needsLowering);
  });

  it('names what require is called with, and all that looks like a package where a require is made', () => {
    expect(
      scan('require("a"); require.resolve(\'./b\'); require(c); o.require("d"); type T = typeof require; "e";').requires,
    ).toEqual(['a', './b']);
    expect(scan('const load = createRequire(here); load("@s/a/b"); "typebox"; "two words"; "./relative"; "";').requires).toEqual([
      '@s/a/b',
      'typebox',
    ]);
  });

  it('exports functions before it runs, and the names of what it declares', () => {
    const { hoisted } = scan(
      'export default async function* main() {} export function a() {} export { b as c, d, imported, type T }; function b() {} class d {} export const e = 1, { f, g: [h] } = x; import { imported } from "i"; export let n: number; const fn = function named() {}; export { fn as named };',
    );
    expect(
      hoisted
        .split('; ')
        .map((statement) => statement.replace(/;$/, ''))
        .sort(),
    ).toEqual(
      [
        'a = a',
        'c = b',
        'd = void 0',
        'default = main',
        'e = void 0',
        'f = void 0',
        'h = void 0',
        'n = void 0',
        'named = void 0',
      ].map((text) => `exports.${text}`),
    );
  });

  it('keeps its lines, whatever moves', () => {
    const source =
      'first();\nimport {\n  a, // why\n  b,\n} from "x";\nexport {\n  a,\n};\nimport "y"\nlast(`\n`, import.meta.url, import("z"));';
    const { text, specifiers } = scan(source);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^import \{ a , b , \} from 'pi-static:0\/x'; import 'pi-static:1\/y'; first\(\);$/);
    expect(lines[10]).toBe('`, __pi_meta.url, __pi_import("z"));');
    expect(lines.at(-1)).toBe('export { a , }; ');
    expect(specifiers).toEqual(['x', 'y']);
  });

  it('reads specifiers as JavaScript does', () => {
    expect(scan(String.raw`import "./it's"; import './it\'s\x20\u{1F600}\n'; export * from "\u0061";`).specifiers).toEqual([
      "./it's",
      "./it's 😀\n",
      'a',
    ]);
  });
});
