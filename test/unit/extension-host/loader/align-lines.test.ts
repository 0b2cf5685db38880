import { transformSync } from 'esbuild';
import { parse } from 'sucrase/dist/parser/index.js';
import { describe, expect, it } from 'vitest';
import { alignLines } from '../../../../core/extension-host/process/transpile/align-lines.js';

function aligned(source: string): string {
  const { code, map } = transformSync(source, {
    loader: 'ts',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'external',
    sourcefile: 'a.ts',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  });
  return alignLines(code, map, parse(code, false, false, false).tokens);
}

/** Lines, from 1, where `mark<line>()` stands that should stand on that line. */
const placesOf = (code: string): [wanted: number, found: number][] =>
  code
    .split('\n')
    .flatMap((line, index) =>
      Array.from(line.matchAll(/mark(\d+)/g), (match): [number, number] => [Number(match[1]), index + 1]),
    );

describe('compiled code laid out anew', () => {
  it.each([
    [
      'a namespace',
      'namespace A {\n\n  export function a() {\n    mark4();\n  }\n  // comment\n\n  export const b = mark8();\n}\nmark10();',
    ],
    [
      'a decorated class',
      '@mark1()\nclass A {\n  // comment\n\n  @mark5()\n  b = 1;\n\n  c() {\n    mark9();\n  }\n}\nmark12();',
    ],
    ['templates over lines', 'const a = `\n\n${mark3()}\n`;\nenum E {\n  A = mark6(),\n}\nmark8();'],
    [
      'functions moved to the top',
      'mark1();\nmark2();\nusing a = mark3();\nmark4();\nmark5();\nmark6();\nfunction late() {\n  return 1;\n}\nmark10();',
    ],
    ['types in between', 'interface A {\n  a: number;\n}\nmark4();\ntype B =\n  | 1\n  | 2;\nmark8();'],
  ])('has %s on the lines of the source', (_what, source) => {
    const places = placesOf(aligned(source)).filter(([wanted]) => (wanted !== 1 && wanted !== 5) || !source.startsWith('@'));
    expect(places.length).toBeGreaterThanOrEqual(2);
    expect(places.filter(([wanted, found]) => wanted !== found)).toEqual([]);
  });

  it('means the same: no line break where it would end a statement', () => {
    const source =
      'function f(a: number) {\n  return (\n    // why\n    a\n    + 1\n  );\n}\nconst g = (\n  b: number\n) => {\n  try {\n    throw new Error(\n      String(b)\n    );\n  } catch (e: any) { return e.message }\n};\nlet i = 0;\ni\n++\ni;\nvar result = [f(1), g(3), i];';
    expect(new Function(`${aligned(source)}\nreturn result;`)()).toEqual([2, '3', 1]);
  });
});
