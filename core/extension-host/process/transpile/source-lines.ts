const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Where in a line of generated code (column, from 0) something begins that stood in `line` (from 0) of the source. */
export interface Mark {
  column: number;
  line: number;
}

/** Marks by line of the generated code, in order. Takes a source map (version 3) of one source. */
export function sourceLines(map: string): Mark[][] {
  const { mappings } = JSON.parse(map) as { mappings: string };
  let line = 0;
  return mappings.split(';').map((text) => {
    let column = 0;
    const marks: Mark[] = [];
    for (const segment of text.split(',')) {
      const [columns, , lines] = decodeNumbers(segment);
      column += columns ?? 0;
      if (lines === undefined) continue;
      line += lines;
      marks.push({ column, line });
    }
    return marks;
  });
}

/** Base 64 digits of 5 bits, lowest first, the sixth saying that more follow; the lowest bit of all is the sign. */
function decodeNumbers(encoded: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of encoded) {
    const digit = BASE64.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
