import { diffArrays } from 'diff';
import type { Difference } from './drive.js';
import type { Outline, Part } from './outline.js';

export interface Unlike {
  part: Part;
  side: 'there' | 'here';
  line: string;
}

/** The lines that one outline has and the other has not. */
export function compareOutlines(there: Outline, here: Outline): Unlike[] {
  const parts = Object.keys(there) as Part[]; // an outline has nothing but its parts
  return parts.flatMap((part) =>
    diffArrays(there[part], here[part]).flatMap(({ added, removed, value }): Unlike[] =>
      added || removed ? value.map((line) => ({ part, side: added ? 'here' : 'there', line })) : [],
    ),
  );
}

/** What is not among the known differences, and the known differences that were not seen. */
export function unexplained(unlike: readonly Unlike[], known: readonly Difference[]): string[] {
  const patterns = known.flatMap(({ part, there, here, because }) => [
    ...(there ? [{ part, side: 'there', pattern: there, because }] : []),
    ...(here ? [{ part, side: 'here', pattern: here, because }] : []),
  ]);
  const explains = ({ part, side, pattern }: (typeof patterns)[number], one: Unlike): boolean =>
    part === one.part && side === one.side && pattern.test(one.line);
  return [
    ...unlike
      .filter((one) => !patterns.some((pattern) => explains(pattern, one)))
      .map(({ part, side, line }) => `${part}, only ${side}: ${line}`),
    ...patterns
      .filter((pattern) => !unlike.some((one) => explains(pattern, one)))
      .map(({ part, side, pattern, because }) => `${part}: nothing is only ${side} as ${pattern} (${because}); take it out`),
  ];
}
