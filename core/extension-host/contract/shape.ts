import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from './errors.js';

/**
 * One declaration that is both type and check. A shape takes what came over the boundary and gives back a value made of known parts
 * only, or throws `BOUNDARY_BAD_MESSAGE` naming the place. Values come from `JSON.parse`: fresh, and nobody else holds them.
 */
export type Shape<T> = (value: unknown, at: string) => T;
export type Infer<S> = S extends Shape<infer T> ? T : never;

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type Required<S extends Shapes> = { -readonly [K in keyof S]: Infer<S[K]> };
type Optional<S extends Shapes> = { -readonly [K in keyof S]?: Infer<S[K]> };
type Flat<T> = { [K in keyof T]: T[K] };

/** Levels of nesting a free value may have: what comes after it may walk it recursively. */
const MAX_LEVELS = 1_000;

function refuse(at: string, wanted: string, value: unknown): never {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `${at}: expected ${wanted}, got ${kind}`, { data: { at } });
}

export const text =
  (maxLength = Number.POSITIVE_INFINITY): Shape<string> =>
  (value, at) =>
    typeof value === 'string' && value.length <= maxLength
      ? value
      : refuse(at, `a text of at most ${maxLength} characters`, value);

export const flag: Shape<boolean> = (value, at) => (typeof value === 'boolean' ? value : refuse(at, 'true or false', value));

export const nothing: Shape<null> = (value, at) => (value === null ? null : refuse(at, 'null', value));

/** A safe integer of at least `min`. */
export const integer =
  (min = 0): Shape<number> =>
  (value, at) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min
      ? value
      : refuse(at, `an integer from ${min}`, value);

export const oneOf =
  <const T extends string>(...words: readonly T[]): Shape<T> =>
  (value, at) =>
    words.find((word) => word === value) ?? refuse(at, words.join(' or '), value);

export const list =
  <T>(item: Shape<T>, maxItems = 10_000): Shape<T[]> =>
  (value, at) => {
    if (!Array.isArray(value) || value.length > maxItems) return refuse(at, `a list of at most ${maxItems}`, value);
    return value.map((one, index) => item(one, `${at}[${index}]`));
  };

/** A list of fixed length, each place with a shape of its own: the arguments of a method. */
export const tuple =
  <const S extends readonly Shape<unknown>[]>(...items: S): Shape<{ -readonly [K in keyof S]: Infer<S[K]> }> =>
  (value, at) => {
    if (!Array.isArray(value) || value.length !== items.length) return refuse(at, `${items.length} arguments`, value);
    const checked = items.map((item, index) => item(value[index], `${at}[${index}]`));
    // The mapped type of a tuple is not known to `map`; the length was compared above.
    return checked as { -readonly [K in keyof S]: Infer<S[K]> };
  };

/** An object with exactly these members; others are dropped. */
export function record<R extends Shapes>(required: R): Shape<Flat<Required<R>>>;
export function record<R extends Shapes, O extends Shapes>(required: R, optional: O): Shape<Flat<Required<R> & Optional<O>>>;
export function record(required: Shapes, optional: Shapes = {}): Shape<Record<string, unknown>> {
  const needed = Object.entries(required);
  const extra = Object.entries(optional);
  return (value, at) => {
    if (!isObject(value)) return refuse(at, 'an object', value);
    const rebuilt: Record<string, unknown> = {};
    for (const [key, shape] of needed) rebuilt[key] = shape(own(value, key), `${at}.${key}`);
    for (const [key, shape] of extra) {
      const found = own(value, key);
      if (found !== undefined) rebuilt[key] = shape(found, `${at}.${key}`);
    }
    return rebuilt;
  };
}

/** Any value JSON can hold. `__proto__` members are dropped at every level; too many levels are refused. */
export const json: Shape<unknown> = (value, at) => {
  if (typeof value !== 'object' || value === null) {
    return value === undefined ? refuse(at, 'a value', value) : value;
  }
  // Iterative: a deep value must not overflow the stack of the one who checks it.
  const open: { node: object; level: number }[] = [{ node: value, level: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.level > MAX_LEVELS) refuse(at, `at most ${MAX_LEVELS} levels`, value);
    const node = next.node as Record<string, unknown>;
    if (Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
    for (const key in node) {
      const child = node[key];
      if (typeof child === 'object' && child !== null) open.push({ node: child, level: next.level + 1 });
    }
  }
  return value;
};

/** An object with members of any name and value. */
export const jsonObject: Shape<Record<string, unknown>> = (value, at) =>
  isObject(value) ? (json(value, at) as Record<string, unknown>) : refuse(at, 'an object', value);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? null : shape(value, at);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
