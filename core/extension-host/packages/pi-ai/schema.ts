import { Type } from 'typebox';

export { Type } from 'typebox';

/** A string that is one of `values`, as `{type: 'string', enum}`, which every provider takes. Source: extensions document, "StringEnum". */
export function StringEnum<T extends readonly string[]>(values: T, options: { description?: string; default?: T[number] } = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}
