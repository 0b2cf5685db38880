import type { JsonSchema } from '../protocol/tool.js';
import { parseLenientJson } from './lenient-json.js';
import { checkValue, isObject, isOfType, resolveRef, type SchemaScope } from './schema-check.js';

const MAX_DEPTH = 64;

/**
 * Brings arguments in odd shapes into the schema's (guarantee 36): JSON in a string, one value for a list, numbers and booleans as strings, null
 * for an optional field. What fits is never touched; what can't be repaired is returned as it is for the validator to complain about.
 * Returns the same object when nothing changed.
 */
export function repairValue(schema: unknown, value: unknown, scope: SchemaScope, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH || scope.stepsLeft < 0 || checkValue(schema, value, scope) === 'yes') return value;
  const repair = (part: unknown, of: unknown): unknown => repairValue(part, of, scope, depth + 1);
  if (schema.$ref !== undefined) return repair(resolveRef(schema.$ref, scope.root), value);

  const branches = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  if (branches) return repairByBranch(branches, value, scope, repair);
  const merged = Array.isArray(schema.allOf) ? schema.allOf.reduce((current, part) => repair(part, current), value) : value;

  const types = typesOf(schema);
  const shaped =
    types.length === 0 || types.some((type) => isOfType(type, merged)) ? merged : convert(schema, types, merged, scope);
  if (isObject(shaped)) return repairObject(schema, shaped, scope, repair);
  if (Array.isArray(shaped) && isObject(schema.items))
    return keepIfSame(
      shaped,
      shaped.map((item) => repair(schema.items, item)),
    );
  return Array.isArray(schema.enum) || 'const' in schema ? nearestChoice(schema, shaped) : shaped;
}

type Repair = (schema: unknown, value: unknown) => unknown;

/** The first alternative that the repaired value surely fits; else the first it may fit. */
function repairByBranch(branches: readonly unknown[], value: unknown, scope: SchemaScope, repair: Repair): unknown {
  let possible: { value: unknown } | undefined;
  for (const branch of branches) {
    const candidate = repair(branch, value);
    const verdict = checkValue(branch, candidate, scope);
    if (verdict === 'yes') return candidate;
    if (verdict === 'unknown') possible ??= { value: candidate };
  }
  return possible ? possible.value : value;
}

function repairObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
  scope: SchemaScope,
  repair: Repair,
): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const others = isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [given, item] of Object.entries(value)) {
    const name = Object.hasOwn(properties, given) ? given : (meantName(given, value, properties, required) ?? given);
    const part = Object.hasOwn(properties, name) ? properties[name] : others;
    if (
      part !== undefined &&
      !required.includes(name) &&
      isNothing(item) &&
      isRefused(part, item, scope) &&
      isRefused(part, null, scope)
    ) {
      changed = true;
      continue;
    }
    const repaired = part === undefined ? item : repair(part, item);
    if (repaired !== item || name !== given) changed = true;
    entries.push([name, repaired]);
  }
  // fromEntries defines: a property named __proto__ stays an ordinary one.
  return changed ? Object.fromEntries(entries) : value;
}

/** `old_text` for a required and missing `oldText`. */
function meantName(given: string, value: object, properties: object, required: readonly unknown[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');
  const missing = Object.keys(properties).filter((name) => required.includes(name) && !Object.hasOwn(value, name));
  const alike = missing.filter((name) => plain(name) === plain(given));
  const rivals = Object.keys(value).filter((name) => plain(name) === plain(given));
  return alike.length === 1 && rivals.length === 1 ? alike[0] : undefined;
}

/** What models write for "not given". */
const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && ['', 'null', 'undefined', 'none'].includes(value.trim().toLowerCase()));

function isRefused(schema: unknown, value: unknown, scope: SchemaScope): boolean {
  return checkValue(schema, value, scope) === 'no';
}

function typesOf(schema: JsonSchema): unknown[] {
  if (Array.isArray(schema.type)) return schema.type;
  if (typeof schema.type === 'string') return [schema.type];
  if (isObject(schema.properties)) return ['object'];
  return isObject(schema.items) ? ['array'] : [];
}

/** The value as one of the wanted types; itself when there is no sensible way. */
function convert(schema: JsonSchema, types: readonly unknown[], value: unknown, scope: SchemaScope): unknown {
  for (const type of types) {
    const converted = typeof type === 'string' && Object.hasOwn(CONVERSIONS, type) ? CONVERSIONS[type]?.(value) : undefined;
    if (converted !== undefined) return converted;
  }
  // One value for a list; but nothing is no list of nothing.
  if (!types.includes('array') || value === undefined || value === null) return value;
  const item = repairValue(schema.items, value, scope);
  return checkValue(schema.items ?? true, item, scope) === 'no' ? value : [item];
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false, yes: true, no: false, 1: true, 0: false };

const toNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : undefined;
  return Number.isFinite(number) ? number : undefined;
};

/** Of a list with one member, the member. */
const onlyMember = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : undefined);

const CONVERSIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  object: (value) => {
    const parsed = typeof value === 'string' ? parseLenientJson(value) : value;
    if (isObject(parsed)) return parsed;
    const only = onlyMember(parsed);
    return isObject(only) ? only : undefined;
  },
  array: (value) => {
    const parsed = typeof value === 'string' ? parseLenientJson(value) : value;
    if (Array.isArray(parsed)) return parsed;
    // A list written with its indexes as names.
    const isIndexed =
      isObject(parsed) && Object.keys(parsed).length > 0 && Object.keys(parsed).every((name, index) => name === String(index));
    if (isIndexed) return Object.values(parsed);
    return parsed !== value && isObject(parsed) ? [parsed] : undefined;
  },
  number: toNumber,
  integer: (value) => {
    const number = toNumber(value);
    return Number.isInteger(number) ? number : undefined;
  },
  boolean: (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    const word = String(value).trim().toLowerCase();
    return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  },
  string: (value) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    const only = onlyMember(value);
    return typeof only === 'string' ? only : undefined;
  },
  null: (value) => (isNothing(value) ? null : undefined),
};

/** A choice written in another case, with blanks or quotes around it, or as a string; only when exactly one is meant. */
function nearestChoice(schema: JsonSchema, value: unknown): unknown {
  const choices: unknown[] = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  if (choices.includes(value) || typeof value === 'object') return value;
  const plain = (choice: unknown): string =>
    String(choice)
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2')
      .toLowerCase();
  const alike = choices.filter((choice) => typeof choice !== 'object' && plain(choice) === plain(value));
  return alike.length === 1 ? alike[0] : value;
}

function keepIfSame(before: readonly unknown[], after: unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
