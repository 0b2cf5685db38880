import { CLOSE_BRACE, COLON, COMMA, JsonCursor, OPEN_BRACE, QUOTE } from './json-cursor.js';

/**
 * The JSON object in `object` with one member's value replaced, or added at the end; every other byte as it was, so that numbers and
 * fields nobody here knows survive. `object` must be valid JSON without blanks around it.
 */
export function withMember(object: Buffer, key: string, value: string | null): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const place = new MemberFinder().find(object, key);
  if (place) return Buffer.concat([object.subarray(0, place.start), text, object.subarray(place.end)]);
  const body = object.subarray(0, object.lastIndexOf(CLOSE_BRACE));
  const comma = body.toString('latin1').trimEnd().endsWith('{') ? '' : ',';
  return Buffer.concat([body, Buffer.from(`${comma}${JSON.stringify(key)}:`), text, Buffer.from('}')]);
}

class MemberFinder extends JsonCursor {
  /** Where the value of the member stands; the last one of that name, as parsers have it. */
  find(object: Buffer, key: string): { start: number; end: number } | undefined {
    this.point(object, 0, object.length);
    let found: { start: number; end: number } | undefined;
    if (this.at() !== OPEN_BRACE) return undefined;
    this.pos++;
    this.blank();
    while (this.at() === QUOTE && this.string()) {
      const isIt = JSON.parse(`"${object.toString('utf8', this.textStart, this.textEnd)}"`) === key;
      this.blank();
      if (this.at() !== COLON) return undefined;
      this.pos++;
      this.blank();
      const start = this.pos;
      if (!this.skip()) return undefined;
      if (isIt) found = { start, end: this.pos };
      this.blank();
      if (this.at() !== COMMA) break;
      this.pos++;
      this.blank();
    }
    return found;
  }
}
