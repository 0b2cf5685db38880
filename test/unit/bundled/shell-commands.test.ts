import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellCommands } from '../../../extensions/shared/shell-commands.js';

const words = (line: string): string[] => shellCommands(line).map((one) => one.words.join(' '));

describe('the commands in a line for a shell', () => {
  it.each<[string, string[]]>([
    ['ls -la', ['ls -la']],
    ['cd a && rm -rf b; echo c', ['cd a', 'rm -rf b', 'echo c']],
    ['cat a | grep b | sh', ['cat a', 'grep b', 'sh']],
    ['A=1 B="x y" make all', ['make all']],
    [`echo 'rm -rf /' "and; this"`, ['echo rm -rf / and; this']],
    ['echo $(rm a) `rm b`', ['echo $(rm a) `rm b`', 'rm a', 'rm b']],
    ['(cd x; rm y)', ['cd x', 'rm y']],
    ['{ rm y; }', ['rm y']],
    ['if true; then rm y; fi', ['true', 'rm y', 'fi']],
    ['bash -c "rm -rf x && ls"', ['bash -c rm -rf x && ls', 'rm -rf x', 'ls']],
    ['sudo -n rm x', ['sudo -n rm x', 'rm x']],
    ['find . -name "*.js" -exec rm {} \\;', ['find . -name *.js -exec rm {} ;', 'rm {}']],
    ['ls | xargs -0 rm -f', ['ls', 'xargs -0 rm -f', 'rm -f']],
    ['timeout 5 sh -c "rm z"', ['timeout 5 sh -c rm z', 'sh -c rm z', 'rm z']],
    ['eval "rm q"', ['eval rm q', 'rm q']],
    ['echo a\\\n  b', ['echo a b']],
    ['rm a # and not rm b', ['rm a']],
    ['r\\m x', ['rm x']],
    ['"rm" x', ['rm x']],
    ['time nohup rm x &', ['rm x']],
    ['', []],
    ['"never closed', ['never closed']],
    ['a &&& b ;; c', ['a', 'b', 'c']],
  ])('%s', (line, expected) => {
    expect(words(line)).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['echo a > b', ['b']],
    ['echo a>>"b c"', ['b c']],
    ['make &> log 2>&1', ['log']],
    ['sort < in > out', ['out']],
    ['> empty', ['empty']],
    ['cat 2>/dev/null', ['/dev/null']],
  ])('%s writes to %j', (line, files) => {
    expect(shellCommands(line).flatMap(({ writes }) => writes)).toEqual(files);
  });

  it('are found in any text without an error and without end', () => {
    const piece = fc.constantFrom(
      'rm',
      ' ',
      '"',
      "'",
      '$(',
      ')',
      '`',
      '|',
      '&&',
      ';',
      '\\',
      '\n',
      '>',
      '<',
      'bash -c ',
      '{',
      '}',
      '#',
      'x',
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (parts) => Array.isArray(shellCommands(parts.join('')))));
  });
});
