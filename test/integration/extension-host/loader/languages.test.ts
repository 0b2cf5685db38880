import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Files, LoaderWorker, temporaryFolder, writeFiles } from './support.js';

interface Case {
  files: Files;
  /** `ext.ts` unless said. */
  entry?: string;
  value: unknown;
}

const dependency = (name: string, files: Files, manifest: object = {}): Files =>
  Object.fromEntries([
    [`node_modules/${name}/package.json`, { name, version: '1.0.0', ...manifest }],
    ...Object.entries(files).map(([file, content]) => [`node_modules/${name}/${file}`, content]),
  ]);

const CASES: Record<string, Case> = {
  // Languages
  'enums, namespaces, parameter properties, satisfies, abstract classes, type imports': {
    files: {
      'ext.ts': `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
enum Colour { Red = 3, Green }
namespace Box { export const size = 4; }
abstract class Base<T> { constructor(protected readonly value: T, public extra?: string) {} abstract get(): T; }
class Leaf extends Base<number> { override get(): number { return this.value!; } }
const table = { a: 1 } satisfies Record<string, number>;
type F = (pi: ExtensionAPI) => void;
export default () => [Colour.Green, Colour[3], Box.size, new Leaf(5).get(), table.a as number];`,
    },
    value: [4, 'Red', 4, 5, 1],
  },
  'const enums, string enums, merged enums and namespaces': {
    files: {
      'ext.ts': `const enum A { X = 1 << 2, Y } enum B { P = 'p' } enum M { One } enum M { Two = 7 }
namespace N { export let a = 1; export namespace Deep { export const b = a + 1; } } namespace N { export const c = 3; }
namespace OnlyTypes { export type T = string; }
export default () => { N.a = 5; return [A.Y, B.P, M.One, M.Two, N.a, N.Deep.b, N.c]; };`,
    },
    value: [5, 'p', 0, 7, 5, 2, 3],
  },
  'decorators as TypeScript had them first': {
    files: {
      'ext.ts': `const log: string[] = [];
function mark(target: object, key?: string, descriptor?: PropertyDescriptor): any { log.push(key ?? 'class'); return descriptor; }
@mark class A { @mark run() { return 1; } }
export default () => [new A().run(), ...log];`,
    },
    value: [1, 'run', 'class'],
  },
  'aliases of imported names, using, accessor fields': {
    files: {
      'ext.ts': `import * as lib from './lib'; import size = lib.size;
class A { accessor x = 2; static #p = 3; static p() { return A.#p; } }
const closed: string[] = [];
function work() { using r = { [Symbol.dispose]() { closed.push('closed'); } }; return r ? 'worked' : ''; }
export default () => [size, new A().x, A.p(), work(), ...closed];`,
      'lib.ts': 'export const size = 9;',
    },
    value: [9, 2, 3, 'worked', 'closed'],
  },
  'imports that are only types, without saying so, are not loaded': {
    files: {
      'ext.ts': `import { Gone, type Other } from './types'; import Missing from 'no-such-package'; import { real, Shape } from './mixed';
const x: Gone | Missing | Other | Shape | undefined = undefined; export type { Other }; export default () => [real, x === undefined];`,
      'types.ts': 'throw new Error("types only"); export interface Gone {} export interface Other {}',
      'mixed.ts': 'export interface Shape {} export const real = 1;',
    },
    value: [1, true],
  },
  'JSX with what React is here': {
    entry: 'ext.tsx',
    files: {
      'ext.tsx':
        'const React = { createElement: (tag: string, props: object, ...children: unknown[]) => [tag, props, children] };\nexport default () => <b id="x">{1 + 1}</b>;',
    },
    value: ['b', { id: 'x' }, [2]],
  },
  'class fields, overloads, generics, assertions, optional chaining': {
    files: {
      'ext.ts': `class A { name = 'a'; declare ghost: number; optional?: string; readonly list: number[] = [1]; }
function pick(a: string): string; function pick(a: number): number; function pick(a: unknown) { return a; }
const identity = <T,>(value: T): T => value; let maybe: { deep?: { value: number } } | undefined = { deep: { value: 3 } };
function isText(value: unknown): value is string { return typeof value === 'string'; }
export default () => [Object.keys(new A()), pick(2), identity<number>(4), maybe?.deep!.value, (maybe as any)?.none?.x ?? 'none', isText(<any>'s')];`,
    },
    value: [['name', 'optional', 'list'], 2, 4, 3, 'none', true],
  },
  'a file of types only, an empty file, a byte order mark, a hashbang, CRLF': {
    files: {
      'ext.ts':
        "\uFEFFimport './types'; import * as nothing from './empty'; import { a } from './bang.mjs';\r\nexport default () => [Object.keys(nothing), a];\r\n",
      'types.ts': 'export interface A {}',
      'empty.ts': '',
      'bang.mjs': '#!/usr/bin/env node\nexport const a = 1;',
    },
    value: [['default'], 1],
  },
  'top-level await, also in an imported file, for await and in a template': {
    files: {
      'ext.ts':
        "import { slow } from './slow'; const now: number = await Promise.resolve(2); let sum = 0; for await (const n of [1, 2]) sum += n; export default () => [slow, now, sum, text]; const text = `${await 5}`;",
      'slow.ts': 'export const slow = await new Promise((resolve) => setTimeout(resolve, 1, "slow"));',
    },
    value: ['slow', 2, 3, '5'],
  },
  'ES modules by any extension, without package.json': {
    files: {
      'ext.ts':
        "import js from './a.js'; import mjs from './b.mjs'; import mts from './c.mts'; export default () => [js, mjs, mts];",
      'a.js': "import path from 'node:path'; export default path.basename('/x/js');",
      'b.mjs': "import { sep } from 'path'; export default 'mjs' + sep;",
      'c.mts': 'const value: string = "mts"; export default value;',
    },
    value: ['js', `mjs${path.sep}`, 'mts'],
  },
  'CommonJS by any extension, sloppy as it is': {
    files: {
      'ext.ts':
        "import a from './a.js'; import { b } from './b.cjs'; import c from './c.cjs'; import { d } from './d.cts'; export default () => [a(), b, c, d];",
      'a.js':
        'module.exports = function () { undeclared = 1; delete globalThis.undeclared; with ({ x: 2 }) { return [x, this === undefined, typeof arguments]; } };',
      'b.cjs':
        'exports.b = __filename.endsWith("b.cjs") && module.id === __filename && require.main !== module && this === exports;',
      'c.cjs': 'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "interop"; return; neverRun();',
      'd.cts': "import path = require('node:path'); export = { d: path.posix.join('a', 'b') };",
    },
    value: [[2, false, 'object'], true, 'interop', 'a/b'],
  },
  'a CommonJS entry': { entry: 'ext.cjs', files: { 'ext.cjs': 'module.exports = () => "cjs";' }, value: 'cjs' },
  'import and CommonJS in one file': {
    files: {
      'ext.js': "import { a } from './a.cjs'; module.exports = () => [a, require('./a.cjs').a];",
      'a.cjs': 'exports.a = 1;',
    },
    entry: 'ext.js',
    value: [1, 1],
  },
  'JSON with an attribute, without, required and imported by name': {
    files: {
      'ext.ts':
        "import a from './a.json'; import b from './a.json' with { type: 'json' }; import { n } from './a.json'; import list from './list.json';\nconst c = require('./a.json'); export default async () => [a.n, b === a, n, c === a, list, (await import('./a.json', { with: { type: 'json' } })).default.n];",
      'a.json': '\uFEFF{"n": 7}',
      'list.json': [1, { k: 'ü' }],
    },
    value: [7, true, 7, true, [1, { k: 'ü' }], 7],
  },

  // Files
  'relative files: .ts, .js meaning .ts, .ts meaning .js, without extension, folders, parents': {
    entry: 'pkg/ext.ts',
    files: {
      'pkg/ext.ts': `import { one } from "./lib/one.ts"; import { two } from "./lib/two.js"; import { three } from "./lib/three"; import { four } from "./lib/four/index.js";
import { five } from './lib/five/'; import { six } from './lib/six.ts'; import { seven } from './lib/seven'; import * as index from '.'; import def from "../shared.ts";
export default () => [one, two, three, four, five, six, seven, index.index, def];`,
      'pkg/lib/one.ts': 'export const one: number = 1;',
      'pkg/lib/two.ts': 'export const two: number = 2;',
      'pkg/lib/three.ts': "import { one } from './one';\nexport const three: number = one + 2;",
      'pkg/lib/four/index.ts': 'export const four = 4;',
      'pkg/lib/five/index.mts': 'export const five = 5;',
      'pkg/lib/five.ts': 'export const five = "the file, not the folder";',
      'pkg/lib/six.js': 'export const six = 6;',
      'pkg/lib/seven/package.json': { main: './main.js' },
      'pkg/lib/seven/main.ts': 'export const seven = 7;',
      'pkg/index.ts': 'export const index = "index";',
      'shared.ts': "export default 'shared';",
    },
    value: [1, 2, 3, 4, 5, 6, 7, 'index', 'shared'],
  },
  'names with spaces, other alphabets, % and #': {
    entry: 'my ext/größe 100% #1/ext.ts',
    files: {
      'my ext/größe 100% #1/ext.ts': `import { a } from './a b.ts'; import { a as encoded } from './a%20b.ts'; import { p } from './50%.ts'; import { h } from './c#.ts'; import { q } from "./it's?.ts";
import { fileURLToPath } from 'node:url'; import path from 'node:path';
export default async () => [a === encoded, p, h, q, path.basename(path.dirname(fileURLToPath(import.meta.url))), (await import(import.meta.resolve('./a b.ts'))).a === a];`,
      'my ext/größe 100% #1/a b.ts': 'export const a = {};',
      'my ext/größe 100% #1/50%.ts': 'export const p = "percent";',
      'my ext/größe 100% #1/c#.ts': 'export const h = "hash";',
      "my ext/größe 100% #1/it's?.ts": 'export const q = "quoted";',
    },
    value: [true, 'percent', 'hash', 'quoted', 'größe 100% #1', true],
  },
  'import.meta, __dirname and __filename name the real file, and may be declared anew': {
    entry: 'sub/ext.ts',
    files: {
      'sub/ext.ts': `import { fileURLToPath } from "node:url"; import path from "node:path"; import { createRequire } from 'module';
const require = createRequire(import.meta.url); const __filename = fileURLToPath(import.meta.url); const __dirname = path.dirname(__filename);
import { outside } from './plain';
export default () => [import.meta.dirname === __dirname, import.meta.filename === __filename, path.basename(__dirname), require('./data.json').n, require('./plain.js').outside === outside, outside, typeof import.meta.resolve];`,
      'sub/plain.ts': 'export const outside = [__dirname, __filename].map((file) => require("node:path").basename(file));',
      'sub/data.json': { n: 1 },
    },
    value: [true, true, 'sub', 1, true, ['sub', 'plain.ts'], 'function'],
  },
  'require, require.resolve and createRequire reach TypeScript, JSON, folders and what Node has built in': {
    files: {
      'ext.ts': `import Module, { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';
const here = createRequire(pathToFileURL(__dirname + '/lib/')); const same = Module.createRequire(__filename);
export default () => [require('./lib/a').a, require('./lib').index, here('./a').a, same('./lib/a.js').a, here.resolve('./a').endsWith('a.ts'), require.resolve('fs'), same('node:fs') === require('fs'),
  require.resolve('./a', { paths: [__dirname + '/lib'] }).endsWith('a.ts'), require.resolve.paths('x')![0] === __dirname + '/node_modules', typeof require.cache];`,
      'lib/a.ts': 'export const a: number = 1;',
      'lib/index.ts': 'export const index = 2;',
    },
    value: [1, 2, 1, 1, true, 'fs', true, true, true, 'object'],
  },
  'dynamic import of files, expressions, URLs, absolute paths, with a query, in CommonJS and in text made at run time': {
    files: {
      'ext.ts': `import { pathToFileURL } from 'node:url'; import fromScript from './script.cjs'; const name: string = 'lazy';
type T = import('./lazy').T; const native = new Function('url', 'return import(url)');
export default async () => { const a = await import('./lazy.ts'); const b = await import(\`./\${name}\`); const c = await import(pathToFileURL(__dirname + '/lazy.ts').href); const d = await import(__dirname + '/lazy.ts');
const e = await import('./lazy.ts?again'); const f = await fromScript(); const g = await native('data:text/javascript,export default 3');
return [a.value, b === a, c === a, d === a, e !== a && e.value, f.value, g.default, (await import('node:path')).basename('/x/y'), (await import('data:text/javascript,export const z = 4')).z]; };`,
      'lazy.ts': 'export type T = 1; export const value: number = 9;',
      'script.cjs': "module.exports = () => import('./lazy.js');",
    },
    value: [9, true, true, true, 9, 9, 3, 'y', 4],
  },
  'cyclic imports: hoisted functions are there from the start, values when they are used': {
    files: {
      'ext.ts': `import { odd, seenEarly } from './odd'; export function even(n: number): boolean { return n === 0 || odd(n - 1); } export const zero = 0; export default () => [even(4), odd(4), seenEarly];`,
      'odd.ts': `import { even, zero } from './ext'; export const seenEarly = typeof even; export function odd(n: number): boolean { return n !== zero && even(n - 1); }`,
    },
    value: [true, false, 'function'],
  },
  'cyclic imports with top-level await, and cyclic requires': {
    files: {
      'ext.ts': `import { b } from './b'; import cjs from './x.cjs'; export const a = await Promise.resolve('a'); export default () => [b(), cjs];`,
      'b.ts': `import { a } from './ext'; export const early = await Promise.resolve(1); export const b = () => a + early;`,
      'x.cjs': "exports.before = 1; exports.y = require('./y.cjs').seen; exports.after = 2;",
      'y.cjs': "exports.seen = Object.keys(require('./x.cjs'));",
    },
    value: ['a1', { before: 1, y: ['before'], after: 2 }],
  },
  'live bindings': {
    files: {
      'ext.ts':
        "import def, { count, bump, swap, list, later } from './state'; import * as ns from './state'; import { count as again } from './again'; export default () => { bump(); bump(); swap(); return [count, ns.count, again, list, def, later]; };",
      'state.ts': `export { later, list }; export let count: number = 0; export const bump = () => { count++; }; export let x = 1, y = 2; let list: number[]; export function swap() { [x, y] = [y, x]; ({ count } = { count: count + 10 }); list = [x, y]; }
const later = 'declared after its export'; let value = 'default'; export { value as default };`,
      'again.ts': "export { count } from './state';",
    },
    value: [12, 12, 12, [2, 1], 'default', 'declared after its export'],
  },
  'exports of all kinds': {
    files: {
      'ext.ts':
        "import * as all from './all'; export { default } from './main'; export * from './all'; export * as inner from './inner'; export { main as other } from './main'; export const { p, ...rest } = { p: 1, q: 2 }, [r] = [3]; void all;",
      'main.ts':
        "import * as ns from './ext'; export async function main() { return [Object.keys(ns).sort(), ns.rest, ns.inner.deep]; } export { main as default };",
      'all.ts': "export * from './inner'; export class Thing {} export const own = 1; export default 'not passed on by a star';",
      'inner.ts': 'export const deep = 4;',
    },
    value: [['Thing', 'deep', 'default', 'inner', 'other', 'own', 'p', 'r', 'rest'], { q: 2 }, 4],
  },
  'names that all objects have': {
    files: {
      'ext.ts':
        "import * as all from './odd'; export * from './odd'; import { constructor } from './odd'; export default () => [all.toString(), constructor, `${Object.keys(all).sort()}`, Object.prototype.toString.call(all)];",
      'odd.ts': 'export function toString() { return "mine"; } export const constructor = 1, valueOf = 2;',
    },
    value: ['mine', 1, 'constructor,toString,valueOf', '[object Module]'],
  },
  'imports below their use count from the start': {
    files: {
      'ext.ts':
        "const early = a + 1;\nimport { a,\n  /* why */ b } from './a'; // not the last\nexport default () => [early, b];",
      'a.ts': 'export const a = 1, b = 2;',
    },
    value: [2, 2],
  },
  'what is imported runs in the order of the imports, packages among them': {
    files: {
      'ext.ts':
        "import './first'; import 'second'; import './third'; globalThis.order.push('ext'); export default () => globalThis.order;",
      'first.ts': "(globalThis as any).order = ['first'];",
      'third.ts': "(globalThis as any).order.push('third');",
      ...dependency('second', { 'index.js': "globalThis.order.push('second');" }, { type: 'module', exports: './index.js' }),
    },
    value: ['first', 'second', 'third', 'ext'],
  },
  'a helper imported twice is one instance': {
    files: {
      'ext.ts':
        'import { bump } from "./a.ts"; import { count } from "./b.ts"; export default () => { bump(); bump(); return [count(), require("./state").state.n]; };',
      'state.ts': 'export const state = { n: 0 };',
      'a.ts': "import { state } from './state.ts'; export const bump = () => { state.n++; };",
      'b.ts': "import { state } from './state'; export const count = () => state.n;",
    },
    value: [2, 2],
  },
  'modules of Node: default, named and all of them': {
    files: {
      'ext.ts':
        'import path, { basename } from "node:path"; import * as os from "os"; import { createHash } from "crypto"; import fs from "fs"; import { setTimeout as wait } from "node:timers/promises"; import events, { EventEmitter } from "events";\nexport default async () => { await wait(1); return [path.basename === basename, typeof os.cpus, createHash("sha1").update("x").digest("hex").slice(0, 6), fs.existsSync("/"), events === EventEmitter, typeof os.default.cpus]; };',
    },
    value: [true, 'function', '11f6ad', true, true, 'function'],
  },
  'globals of an extension': {
    files: {
      'ext.ts':
        'export default () => [typeof fetch, typeof AbortController, structuredClone({ a: 1 }).a, typeof process.env.PATH, typeof setInterval, typeof globalThis, typeof Buffer, this === undefined];',
    },
    value: ['function', 'function', 1, 'string', 'function', 'object', 'function', true],
  },
};

const folder = temporaryFolder();
const cacheDir = path.join(folder, 'cache');
const entries = Object.entries(CASES).map(([name, { files, entry = 'ext.ts', value }], index) => {
  const home = path.join(folder, `case-${index}`);
  writeFiles(home, files);
  return { name, file: path.join(home, entry), value };
});

/** As a worker may fix what all its extensions share. Not errors: nobody, Node included, could name one. */
const FREEZE = `for (const name of Object.getOwnPropertyNames(globalThis)) { const value = Reflect.get(globalThis, name);
if (typeof value === 'function' && /^[A-Z]/.test(name) && !/Error$/.test(name)) { Object.freeze(value); if (value.prototype) Object.freeze(value.prototype); } }
for (const made of [function* () {}, async function () {}, async function* () {}]) Object.freeze(Object.getPrototypeOf(made)); export default () => Object.isFrozen(Object.prototype);`;

describe.each(['a cold cache', 'a warm cache', 'a warm cache, in a worker whose intrinsics are frozen'])(
  'an extension is loaded with %s:',
  (state) => {
    let worker: LoaderWorker;
    beforeAll(async () => {
      worker = await LoaderWorker.start(cacheDir);
      if (!state.endsWith('frozen')) return;
      writeFiles(folder, { 'freeze.ts': FREEZE });
      expect((await worker.load(path.join(folder, 'freeze.ts'))).value).toBe(true);
      worker.transpiled.pop();
    });
    afterAll(() => worker.stop());

    it.each(entries)('G16: $name', async ({ file, value }) => {
      expect((await worker.load(file)).value).toEqual(value);
    });

    it('is transpiled only when it is not there', () => {
      expect(worker.transpiled.length > 0).toBe(state === 'a cold cache');
    });
  },
);
