import { describe, expect, it } from 'vitest';
import {
  cacheFileName,
  formatTranspiled,
  parseTranspiled,
  type TranspiledCode,
  wrapCode,
} from '../../../../core/extension-host/contract/transpiled-code.js';
import { importView } from '../../../../core/extension-host/worker/loader/interop.js';
import { splitPackage, virtualSpecifier } from '../../../../core/extension-host/worker/loader/virtual-specifiers.js';

const CODE: TranspiledCode = {
  form: 'module',
  awaits: true,
  imports: [['./ü', 3]],
  requires: ['a'],
  hoisted: '',
  code: 'a;\n//pi-code \u2028',
};

describe('a file of transpiled code', () => {
  it('gives back what was written', () => {
    expect(parseTranspiled(formatTranspiled(CODE))).toEqual(CODE);
    expect(parseTranspiled(formatTranspiled({ ...CODE, code: '' }))?.code).toBe('');
  });

  it('is refused when any of its characters is another', () => {
    const text = formatTranspiled(CODE);
    for (let index = 0; index < text.length; index++) {
      const changed = `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`;
      // The blank between hash and facts says nothing.
      if (text[index] !== ' ' || index > 60) expect(parseTranspiled(changed)).toBeUndefined();
      expect(parseTranspiled(text.slice(0, index))).toBeUndefined();
    }
  });

  it('has a name of content and language', () => {
    const name = cacheFileName('/a/b.ts', 'x');
    expect(cacheFileName('/c/d.TS', 'x')).toBe(name);
    expect(cacheFileName('/a/b.js', 'x')).not.toBe(name);
    expect(cacheFileName('/a/b.ts', 'y')).not.toBe(name);
  });

  it('is wrapped without moving its lines, and may end in a comment', () => {
    for (const form of ['module', 'script'] as const) {
      const wrapped = wrapCode({ form, awaits: false, hoisted: '', code: 'first;\nsecond; // comment' });
      expect(wrapped.split('\n').map((line) => /first|second/.exec(line)?.[0])).toEqual(['first', 'second', undefined]);
    }
  });
});

describe('names of packages that come with the program', () => {
  it.each([
    ['typebox', 'typebox'],
    ['@sinclair/typebox/value', 'typebox/value'],
    ['@mariozechner/pi-ai/compat', '@earendil-works/pi-ai/compat'],
    ['@earendil-works/pi-coding-agent/dist/x.js', '@earendil-works/pi-coding-agent/dist/x.js'],
    ['@earendil-works/pi-other', undefined],
    ['typebox-more', undefined],
    ['constructor', undefined],
    ['@mariozechner', undefined],
  ])('%s is %s', (specifier, name) => {
    expect(virtualSpecifier(specifier)).toBe(name);
  });

  it('are split at the right slash', () => {
    expect(splitPackage('a/b/c')).toEqual({ name: 'a', subpath: '/b/c' });
    expect(splitPackage('@s/a')).toEqual({ name: '@s/a', subpath: '' });
    expect(splitPackage('@s/a/b')).toEqual({ name: '@s/a', subpath: '/b' });
  });
});

describe('CommonJS as import sees it', () => {
  it('is its properties and all of it as default, always current, without reading them ahead', () => {
    let reads = 0;
    const exports = {
      get lazy() {
        return ++reads;
      },
      a: 1,
    };
    const view = importView(exports);
    expect(reads).toBe(0);
    exports.a = 2;
    expect([view.a, view.lazy, view.default === exports, importView(exports) === view]).toEqual([2, 1, true, true]);
    expect(Object.keys(view)).toEqual(['lazy', 'a', 'default']);
  });

  it('has its own default when it was compiled from a module', () => {
    const compiled = { __esModule: true, default: 1 };
    expect(importView(compiled)).toBe(compiled);
    expect(importView({ __esModule: true, a: 1 }).default).toEqual({ __esModule: true, a: 1 });
  });

  it.each([[() => 1], ['text'], [null], [7], [[1, 2]]])('may be %s', (exports) => {
    expect(importView(exports).default).toBe(exports);
  });
});
