import type { JsonSchema } from '../protocol/tool.js';

/** `unknown`: the schema uses words this check does not know, and the full validator must decide. */
export type Verdict = 'yes' | 'no' | 'unknown';

/** Schemas and values deeper than this are left to the full validator. */
const MAX_DEPTH = 64;
const MAX_STEPS = 200_000;

/** Words that say nothing about whether a value fits (formats are not checked by the full validator either). */
const ANNOTATIONS = new Set(
  '$schema $comment $defs definitions title description default examples example format deprecated readOnly writeOnly contentEncoding contentMediaType'.split(
    ' ',
  ),
);

/** What one check has to work with. A schema that refers to itself several times could be walked for ever: the steps are numbered. */
export interface SchemaScope {
  readonly root: JsonSchema;
  stepsLeft: number;
}

export function createScope(root: JsonSchema): SchemaScope {
  return { root, stepsLeft: MAX_STEPS };
}

type Judge = (argument: unknown, value: unknown, schema: JsonSchema, scope: SchemaScope, depth: number) => Verdict;

const yesIf = (condition: boolean): Verdict => (condition ? 'yes' : 'no');
const isNumber = (value: unknown): value is number => typeof value === 'number';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is of one of JSON Schema's types. */
export function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type && (type === 'string' || type === 'boolean');
  }
}

/**
 * Judges a value by the everyday part of JSON Schema without compiling anything: most calls are plain, and the full validator costs 20 ms
 * to load. Never says `yes` or `no` where the full validator would say otherwise; a property test holds it to that.
 */
export function checkValue(schema: unknown, value: unknown, scope: SchemaScope, depth = 0): Verdict {
  if (schema === true) return 'yes';
  if (schema === false) return 'no';
  scope.stepsLeft -= 1;
  if (!isObject(schema) || depth > MAX_DEPTH || scope.stepsLeft < 0) return 'unknown';
  let verdict: Verdict = 'yes';
  for (const [word, argument] of Object.entries(schema)) {
    if (ANNOTATIONS.has(word)) continue;
    const judge = Object.hasOwn(JUDGES, word) ? JUDGES[word] : undefined;
    const own = judge ? judge(argument, value, schema, scope, depth + 1) : 'unknown';
    if (own === 'no') return 'no';
    if (own === 'unknown') verdict = 'unknown';
  }
  return verdict;
}

/** The schema a local `$ref` points at; undefined when it is not local or leads nowhere. */
export function resolveRef(ref: unknown, root: JsonSchema): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/') || ref.includes('%')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

function all(verdicts: Iterable<Verdict>): Verdict {
  let result: Verdict = 'yes';
  for (const verdict of verdicts) {
    if (verdict === 'no') return 'no';
    if (verdict === 'unknown') result = 'unknown';
  }
  return result;
}

/** Compares a number-like bound; a bound that is no number is a broken schema. */
const bound =
  (measure: (value: unknown) => number | undefined, fits: (size: number, limit: number) => boolean): Judge =>
  (limit, value) => {
    if (!isNumber(limit)) return 'unknown';
    const size = measure(value);
    return size === undefined ? 'yes' : yesIf(fits(size, limit));
  };

const asNumber = (value: unknown): number | undefined => (isNumber(value) ? value : undefined);
const asLength = (value: unknown): number | undefined => (typeof value === 'string' ? [...value].length : undefined);
const asCount = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;

const JUDGES: Readonly<Record<string, Judge>> = {
  type: (type, value) => {
    if (Array.isArray(type)) return yesIf(type.some((one) => isOfType(one, value)));
    return typeof type === 'string' ? yesIf(isOfType(type, value)) : 'unknown';
  },
  enum: (values, value) => {
    if (!Array.isArray(values) || !values.every(isPrimitive)) return 'unknown';
    return yesIf(values.includes(value));
  },
  const: (wanted, value) => (isPrimitive(wanted) ? yesIf(wanted === value) : 'unknown'),
  properties: (properties, value, _schema, scope, depth) => {
    if (!isObject(properties)) return 'unknown';
    if (!isObject(value)) return 'yes';
    return all(
      Object.entries(properties).map(([name, one]) =>
        Object.hasOwn(value, name) && value[name] !== undefined ? checkValue(one, value[name], scope, depth) : 'yes',
      ),
    );
  },
  required: (names, value) => {
    if (!Array.isArray(names)) return 'unknown';
    if (!isObject(value)) return 'yes';
    return yesIf(names.every((name) => Object.hasOwn(value, name) && value[name] !== undefined));
  },
  additionalProperties: (rest, value, schema, scope, depth) => {
    if (schema.patternProperties !== undefined) return 'unknown';
    if (!isObject(value)) return 'yes';
    const known = isObject(schema.properties) ? schema.properties : {};
    return all(
      Object.keys(value).map((name) => (Object.hasOwn(known, name) ? 'yes' : checkValue(rest, value[name], scope, depth))),
    );
  },
  items: (items, value, schema, scope, depth) => {
    if (Array.isArray(items) || schema.prefixItems !== undefined) return 'unknown';
    return Array.isArray(value) ? all(value.map((item) => checkValue(items, item, scope, depth))) : 'yes';
  },
  anyOf: (branches, value, _schema, scope, depth) => {
    if (!Array.isArray(branches) || branches.length === 0) return 'unknown';
    const verdicts = branches.map((branch) => checkValue(branch, value, scope, depth));
    if (verdicts.includes('yes')) return 'yes';
    return verdicts.includes('unknown') ? 'unknown' : 'no';
  },
  oneOf: (branches, value, _schema, scope, depth) => {
    if (!Array.isArray(branches) || branches.length === 0) return 'unknown';
    const verdicts = branches.map((branch) => checkValue(branch, value, scope, depth));
    const fitting = verdicts.filter((verdict) => verdict === 'yes').length;
    if (fitting > 1) return 'no';
    return verdicts.includes('unknown') ? 'unknown' : yesIf(fitting === 1);
  },
  allOf: (branches, value, _schema, scope, depth) => {
    if (!Array.isArray(branches)) return 'unknown';
    return all(branches.map((branch) => checkValue(branch, value, scope, depth)));
  },
  $ref: (ref, value, _schema, scope, depth) => {
    const target = resolveRef(ref, scope.root);
    return target === undefined ? 'unknown' : checkValue(target, value, scope, depth);
  },
  minimum: bound(asNumber, atLeast),
  maximum: bound(asNumber, atMost),
  exclusiveMinimum: bound(asNumber, (size, limit) => size > limit),
  exclusiveMaximum: bound(asNumber, (size, limit) => size < limit),
  minLength: bound(asLength, atLeast),
  maxLength: bound(asLength, atMost),
  minItems: bound(asCount, atLeast),
  maxItems: bound(asCount, atMost),
};
