import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-fixed-'));
const bundle = path.join(folder, 'fixed.mjs');

beforeAll(async () => {
  const source = fileURLToPath(new URL('../../../core/extension-host/worker/fixed-intrinsics.ts', import.meta.url));
  await build({ entryPoints: [source], outfile: bundle, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The value of a function body in a thread of its own whose intrinsics are fixed; the body knows them as `fixed`. */
function inFixedThread<T>(body: string): Promise<T> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    (async () => {
      const { fixIntrinsics } = await import(${JSON.stringify(pathToFileURL(bundle).href)});
      const fixed = fixIntrinsics();
      parentPort.postMessage({ value: await (async () => { ${body} })() });
    })().catch((error) => parentPort.postMessage({ error: String(error && error.stack) }));`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true });
    worker.once('message', (message: { value: T; error?: string }) => {
      void worker.terminate();
      if (message.error === undefined) resolve(message.value);
      else reject(new Error(message.error));
    });
    worker.once('error', reject);
  });
}

/** What each strict statement throws, whether it is known as an attempt on what is fixed. */
function attempts(statements: readonly string[]): Promise<string[]> {
  return inFixedThread<string[]>(`
    return ${JSON.stringify(statements)}.map((statement) => {
      try { new Function('"use strict"; ' + statement)(); return 'allowed'; }
      catch (error) { return fixed.isBroken(error) ? 'refused' : 'unknown: ' + error; }
    });`);
}

/** Each expression's value as JSON. */
const values = (expressions: readonly string[]): Promise<unknown[]> =>
  inFixedThread<unknown[]>(
    `return [${expressions.map((each) => `await (async () => { "use strict"; ${each} })()`).join(', ')}];`,
  );

const ATTACKS = [
  ...[
    'Object.prototype.polluted = 1',
    'Object.prototype.toJSON = undefined',
    'Object.defineProperty(Object.prototype, "x", { value: 1 })',
  ],
  ...[
    'Array.prototype.map = () => []',
    'Array.prototype[Symbol.iterator] = 1',
    'Array.prototype.last = 1',
    'delete Array.prototype.map',
  ],
  ...[
    'JSON.stringify = 1',
    'Date.now = () => 0',
    'Math.random = () => 0',
    'Reflect.get = 1',
    'Object.keys = 1',
    'Promise.all = 1',
  ],
  ...['Promise.prototype.then = 1', 'Function.prototype.call = 1', 'Object.prototype.toString = 1', 'Error.prototype.name = "X"'],
  ...[
    'Map.prototype.get = 1',
    'Set.prototype.add = 1',
    'String.prototype.trim = 1',
    'Number.prototype.toFixed = 1',
    'Symbol.iterator = 1',
  ],
  ...['Object.getPrototypeOf([].values()).next = 1', 'Object.getPrototypeOf(function* () {}).prototype.next = 1'],
  ...['Object.getPrototypeOf(Uint8Array).prototype.set = 1', 'Uint8Array.from = 1', 'Intl.DateTimeFormat.prototype.format2 = 1'],
  ...[
    'globalThis.Promise = class {}',
    'globalThis.setTimeout = undefined',
    'delete globalThis.fetch',
    'globalThis.fetch = 1',
    'JSON = {}',
  ],
  ...['Buffer.from = 1', 'Buffer.prototype.toString = 1', 'URL.prototype.toString = 1', 'AbortController.prototype.abort = 1'],
  ...[
    'EventTarget.prototype.addEventListener = 1',
    'console.log = 1',
    'process.cwd = 1',
    'process.nextTick = 1',
    'Array.prototype.map.call = 1',
  ],
  ...['process.getBuiltinModule?.("timers") ? (process.getBuiltinModule("timers").setTimeout = 1) : JSON.parse.call = 1'],
  ...[
    'process.constructor.constructor; Object.getPrototypeOf(Object.getPrototypeOf(process)).emit = 1',
    'parseInt = 1',
    'Array.from.x = 1',
  ],
];

describe('what extensions of one worker share', () => {
  it('can be neither replaced, extended nor deleted, and an attempt is known by its error', async () => {
    const outcomes = await attempts(ATTACKS);
    expect(Object.fromEntries(ATTACKS.map((attack, at) => [attack, outcomes[at]]))).toEqual(
      Object.fromEntries(ATTACKS.map((attack) => [attack, 'refused'])),
    );
  });

  it('looks native', async () => {
    const shown = await values(
      [
        'Promise.prototype.then',
        'Map.prototype.get',
        'Object.prototype.toString',
        'JSON.stringify',
        'Function.prototype.call',
      ].map((name) => `return String(${name})`),
    );
    for (const text of shown) expect(text).toContain('[native code]');
  });

  it('shows values in the console by the names of their classes', async () => {
    const [text] = await values([
      `class Foo {}; return require('node:util').inspect([{ a: 1 }, new Map([[1, new Foo()]]), new Set(), Buffer.from('a'), Object.create(null)])`,
    ]);
    expect(text).toBe(
      '[\n  { a: 1 },\n  Map(1) { 1 => Foo {} },\n  Set(0) {},\n  <Buffer 61>,\n  [Object: null prototype] {}\n]',
    );
  });

  it('is put back and named where it could not be fixed', async () => {
    const [named, again, works] = await values([
      `RegExp.prototype.exec = () => null; RegExp.prototype.extra = 1; Map.prototype.constructor = 1;
       Object.defineProperty(RegExp.prototype, 'flags', { get: () => 'x', configurable: true });
       try { fixed.assertIntact(); } catch (error) { return [fixed.isBroken(error), error.message]; }`,
      `fixed.assertIntact(); return true;`,
      `return [/a/g.flags, /a/.exec('a')[0], 'extra' in RegExp.prototype, Map.prototype.constructor === Map];`,
    ]);
    expect(named).toEqual([true, expect.stringMatching(/'exec'.*'flags'.*'extra'/)]);
    expect(again).toBe(true);
    expect(works).toEqual(['g', 'a', false, true]);
  });

  it('is put back between two extensions', async () => {
    const [outcome] = await values([
      `RegExp.prototype.test = () => true; Uint8Array.prototype.constructor = 1;
       return [fixed.restore().sort(), fixed.restore(), /a/.test('b'), new Uint8Array(2).slice(1).length];`,
    ]);
    expect(outcome).toEqual([['constructor', 'test'], [], false, 1]);
  });
});

describe('code that changes only what is its own works where the rest is fixed', () => {
  it.each<[string, string, unknown]>([
    [
      'methods of prototypes',
      `function F() {} F.prototype.toString = () => 'F'; F.prototype.valueOf = () => 2; return [String(new F()), new F() + 1]`,
      ['F', 3],
    ],
    [
      'names and messages of errors',
      `const e = new Error('m'); e.name = 'X'; e.message = 'n'; e.code = 1; return String(e)`,
      'X: n',
    ],
    [
      'constructors',
      `const o = {}; o.constructor = 1; const a = []; return [o.constructor, Object.keys(o)]`,
      [1, ['constructor']],
    ],
    [
      'what objects inherit',
      `const o = Object.create({}); o.hasOwnProperty = 1; o.valueOf = 2; return Object.keys(o)`,
      ['hasOwnProperty', 'valueOf'],
    ],
    [
      'functions',
      `const f = () => 1; f.toString = () => 'f'; f.call = 2; f.apply = 3; f.bind = 4; return [String(f), f.call, f.apply, f.bind]`,
      ['f', 2, 3, 4],
    ],
    ['arrays', `const a = []; a.push = () => 'pushed'; a.toString = () => 'a'; return [a.push(1), String(a)]`, ['pushed', 'a']],
    ['promises', `const p = Promise.resolve(1); p.catch = () => 'c'; p.cancel = 2; return [p.catch(), p.cancel]`, ['c', 2]],
    ['maps', `const m = new Map([[1, 2]]); m.get = () => 'got'; return [m.get(1), m.size]`, ['got', 1]],
    [
      'inheritance by util.inherits',
      `const { EventEmitter } = require('node:events'); function A() { EventEmitter.call(this); } require('node:util').inherits(A, EventEmitter);
      A.prototype.emit = function (...all) { return EventEmitter.prototype.emit.apply(this, all); }; const a = new A(); let got; a.on('x', (v) => { got = v; }); a.emit('x', 7); return got`,
      7,
    ],
    [
      'inheritance by hand',
      `function P() {} function C() {} C.prototype = Object.create(P.prototype); C.prototype.constructor = C; return new C().constructor === C && new C() instanceof P`,
      true,
    ],
    [
      'errors by hand',
      `function E(m) { this.message = m; this.name = 'E'; } E.prototype = Object.create(Error.prototype); E.prototype.constructor = E; E.prototype.toString = () => 'e'; return [String(new E('m')), new E('m').name]`,
      ['e', 'E'],
    ],
    [
      "TypeScript's __extends",
      `const __extends = (d, b) => { Object.setPrototypeOf(d, b); function __() { this.constructor = d; } d.prototype = (__.prototype = b.prototype, new __()); };
      const make = (Base) => { function X() { return Reflect.construct(Base, [], X); } __extends(X, Base); return new X().constructor === X; }; return [Error, Map, Set, Object, URLSearchParams, EventTarget].map(make)`,
      Array(6).fill(true),
    ],
    [
      "TypeScript's __generator",
      `const g = Object.create((typeof Iterator === 'function' ? Iterator : Object).prototype); g.next = () => ({ done: true }); g['throw'] = g.next; g[Symbol.iterator] = function () { return this; }; return [...g].length`,
      0,
    ],
    [
      'read-only checks for what is missing',
      `globalThis.fetch ??= 1; globalThis.Buffer = Buffer; global.process = process; Error.stackTraceLimit = 20; return Error.stackTraceLimit`,
      20,
    ],
    [
      'stack traces',
      `const before = Error.prepareStackTrace; Error.prepareStackTrace = (_e, sites) => sites.length > 0; const { stack } = new Error('x'); Error.prepareStackTrace = before; return stack`,
      true,
    ],
    [
      'registries on globalThis',
      `globalThis.registry = 1; globalThis[Symbol.for('registry')] = 2; delete globalThis.registry; return [typeof registry, globalThis[Symbol.for('registry')]]`,
      ['undefined', 2],
    ],
    [
      'the environment',
      `process.env.OF_THIS_TEST = '1'; const { OF_THIS_TEST } = process.env; delete process.env.OF_THIS_TEST; return OF_THIS_TEST`,
      '1',
    ],
    [
      'emitters',
      `const e = new (require('node:events').EventEmitter)(); e.emit = () => 'mine'; e.setMaxListeners(3); return [e.emit('x'), e.getMaxListeners()]`,
      ['mine', 3],
    ],
    [
      'lookups by descriptor',
      `return Object.getOwnPropertyDescriptor(Object.prototype, 'toString').get.originalValue === Object.prototype.toString`,
      true,
    ],
    [
      'subclasses',
      `class L extends Array { constructor(...all) { super(...all); } get last() { return this.at(-1); } } class P extends Promise {}
      return [L.from([1, 2]).map((x) => x * 2).last, (await P.resolve(3)) , P.resolve() instanceof P]`,
      [4, 3, true],
    ],
  ])('%s', async (_what, body, expected) => {
    expect(await values([body])).toEqual([expected]);
  });

  it('Node works: streams, servers, requests, timers, processes, copies', async () => {
    const [outcome] = await values([
      `const http = require('node:http'); const { pipeline } = require('node:stream/promises'); const { Readable, Writable } = require('node:stream');
       const server = http.createServer((request, response) => response.end('hello')).listen(0, '127.0.0.1');
       await require('node:events').once(server, 'listening');
       const url = new URL('http://127.0.0.1:' + server.address().port);
       const text = await (await fetch(url, { signal: AbortSignal.timeout(10000) })).text();
       server.close(); server.closeAllConnections();
       let piped = ''; await pipeline(Readable.from(['a', 'b']), new Writable({ write(chunk, _e, done) { piped += chunk; done(); } }));
       await require('node:timers/promises').setTimeout(1);
       const child = require('node:child_process').spawnSync(process.execPath, ['-p', '1+1']).stdout.toString().trim();
       const rl = require('node:readline').createInterface({ input: Readable.from(['line\\n']) }); const lines = []; for await (const line of rl) lines.push(line);
       return [text, piped, child, structuredClone(new Map([[1, new Error('e')]])).get(1).message, lines, require('node:zlib').gunzipSync(require('node:zlib').gzipSync('z')).toString(), new Blob(['b']).size];`,
    ]);
    expect(outcome).toEqual(['hello', 'ab', '2', 'e', ['line'], 'z', 1]);
  });
});

it('an error about something frozen of its own, an odd one, or a hostile one is no attempt', async () => {
  const [known] = await values([
    `const thrown = []; const tell = (f) => { try { f(); } catch (error) { thrown.push(fixed.isBroken(error)); } };
     tell(() => { Object.freeze({ mine: 1 }).mine = 2; }); tell(() => { undefined.x; }); tell(() => { throw null; });
     tell(() => { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } }); });
     tell(() => { throw Object.defineProperties(new TypeError('x'), { message: { get() { throw 1; } }, cause: { get() { throw 1; } } }); });
     tell(() => { try { JSON.parse = 1; } catch (cause) { throw new Error('wrapped', { cause }); } });
     return thrown;`,
  ]);
  expect(known).toEqual([false, false, false, false, false, true]);
});
