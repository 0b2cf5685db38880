import { type JsonNode, memberOf, parseJsonTree } from './json-tree.js';

/**
 * `text` with the value at `path` set, and every other character as it was: comments, order, blank lines, unknown keys.
 * Missing objects on the way are made. Returns `undefined` when something on the way is there and is no object, since
 * replacing it would lose what the user wrote. Throws `JSON_INVALID` for a text that is not JSON; an empty one counts as `{}`.
 */
export function setInJson(text: string, path: readonly string[], value: unknown): string | undefined {
  if (/^\s*(?:\{\s*\}\s*)?$/.test(text)) return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  const style = styleOf(text);
  let node = parseJsonTree(text);
  for (const [depth, key] of path.entries()) {
    if (!node.members) return undefined;
    const member = memberOf(node, key);
    if (!member) return insertMember(text, node, key, nested(path.slice(depth + 1), value), depth + 1, style);
    node = member.node;
  }
  return text.slice(0, node.start) + write(value, path.length, style) + text.slice(node.end);
}

interface Style {
  /** Empty when the text is on one line. */
  readonly indent: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? (text.trimEnd().includes('\n') ? '  ' : '');
  return { indent, eol };
}

/** The value as JSON, laid out like the rest of the text. */
function write(value: unknown, depth: number, style: Style): string {
  const json = JSON.stringify(value, null, style.indent);
  return style.indent === '' ? json : json.replaceAll('\n', style.eol + style.indent.repeat(depth));
}

/** Adds a member as the last one of an object. */
function insertMember(text: string, object: JsonNode, key: string, value: unknown, depth: number, style: Style): string {
  const newLine = style.eol + style.indent.repeat(depth);
  const member = `${JSON.stringify(key)}:${style.indent === '' && !/":\s/.test(text) ? '' : ' '}${write(value, depth, style)}`;
  const last = object.members?.at(-1);
  if (!last) {
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
    const onOneLine = style.indent === '' && inside === '';
    // What stands in an empty object can only be blanks and comments; comments stay, on lines of their own.
    const body = onOneLine ? member : `${inside}${newLine}${member}${style.eol}${style.indent.repeat(depth - 1)}`;
    return text.slice(0, object.start + 1) + body + text.slice(object.end - 1);
  }
  const head = text.slice(0, last.node.end);
  const tail = text.slice(last.node.end);
  // A comment at the end of the last member's line belongs to that member.
  const [all, comma = '', comment = ''] = /^(,?)([ \t]*\/\/[^\r\n]*)/.exec(tail) ?? [''];
  if (all !== '') return `${head},${comment}${newLine}${member}${comma}${tail.slice(all.length)}`;
  // A trailing comma, if there is one, now follows the new member.
  return `${head},${style.indent === '' ? ' ' : newLine}${member}${tail}`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
