import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, splitArguments } from '../../../core/resources/template-grammar.js';

/** The table of docs/prompt-templates.md is the test. */
const ROWS = readFileSync(new URL('../../../docs/prompt-templates.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const match = /^\| `(.*?)` \| `(.*?)` \| `(.*?)` \|$/.exec(line);
    if (!match) return [];
    const [template = '', args = '', result = ''] = match.slice(1).map((cell) => cell.replace(/\\\|/g, '|').replace(/^ $/, ''));
    return [{ template, args, result }];
  });

describe('the arguments of a template', () => {
  it('G23: follow a written grammar with a table of at least 40 cases', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(ROWS)('G23: $template with "$args" gives "$result"', ({ template, args, result }) => {
    expect(fillTemplate(template, splitArguments(args))).toBe(result);
  });

  it('G23: are put in once, and never expanded again', () => {
    const hostile = fc
      .string({ unit: fc.constantFrom('$', '@', '1', '{', '}', ':', '-', 'a', '&') })
      .filter((word) => word !== '');
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1 }), (args) => {
        expect(fillTemplate('<$1|$@>', args)).toBe(`<${args[0]}|${args.join(' ')}>`);
      }),
    );
  });

  it('loses no character of words without quotes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter((word) => !/[\s'"]/.test(word))), (words) => {
        expect(splitArguments(words.join(' '))).toEqual(words);
      }),
    );
  });
});
