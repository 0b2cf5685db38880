import type { ErrorObject, ValidateFunction } from 'ajv';
import { messageOf } from '../base/coded-error.js';
import type { JsonSchema, Tool } from '../protocol/tool.js';
import { repairValue } from './argument-repair.js';
import { runBounded } from './bounded-run.js';
import { checkValue, createScope, isObject } from './schema-check.js';

const MAX_SHOWN_ARGUMENTS = 2000;
const MAX_SHOWN_ERRORS = 10;
/** A tool's own patterns may be anyone's. */
const VALIDATE_MS = 250;

export type PreparedArguments = { ok: true; args: Record<string, unknown> } | { ok: false; error: string };

/**
 * Repairs what the model sent by the tool's schema, then validates it (guarantee 36). Valid arguments are returned as the same object.
 * `error` is a text for the model: each field at fault, and what was received. Source: FACTS "Bash and tools".
 */
export async function prepareArguments(tool: Pick<Tool, 'name' | 'parameters'>, args: unknown): Promise<PreparedArguments> {
  // No schema means no demands; the arguments are an object in any case.
  const schema: JsonSchema = isObject(tool.parameters) ? tool.parameters : {};
  const given = args ?? {};
  const check = (value: unknown) => checkValue(schema, value, createScope(schema));
  const verdict = isObject(given) ? check(given) : 'no';
  if (verdict === 'yes' && isObject(given)) return { ok: true, args: given };
  if (verdict === 'unknown' && isObject(given) && (await validate(tool.name, schema, given)).length === 0)
    return { ok: true, args: given };

  const repaired = repairValue({ ...schema, type: 'object' }, given, createScope(schema));
  if (isObject(repaired) && check(repaired) === 'yes') return { ok: true, args: repaired };
  const problems = isObject(repaired) ? await validate(tool.name, schema, repaired) : ['arguments: must be an object'];
  if (problems.length === 0 && isObject(repaired)) return { ok: true, args: repaired };
  return { ok: false, error: errorText(tool.name, problems, args) };
}

function errorText(name: string, problems: readonly string[], args: unknown): string {
  const lines = problems.slice(0, MAX_SHOWN_ERRORS).map((problem) => `  - ${problem}`);
  if (problems.length > lines.length) lines.push(`  - and ${problems.length - lines.length} more`);
  return `Validation failed for tool "${name}":\n${lines.join('\n')}\n\nReceived arguments:\n${shown(args)}`;
}

function shown(args: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(args, null, 2) ?? String(args);
  } catch (error) {
    // Arguments made by an extension can hold what JSON can't.
    return `(cannot be shown: ${messageOf(error)})`;
  }
  return text.length > MAX_SHOWN_ARGUMENTS ? `${text.slice(0, MAX_SHOWN_ARGUMENTS)}… (${text.length} characters)` : text;
}

/** One line for each field at fault; none when the value is valid. */
async function validate(name: string, schema: JsonSchema, value: Record<string, unknown>): Promise<string[]> {
  let check: ValidateFunction;
  try {
    check = await compiled(schema);
  } catch (error) {
    return [`the tool's own schema is not valid (${messageOf(error)})`];
  }
  try {
    if (runBounded(() => check(value), VALIDATE_MS, `Checking the arguments of ${name} against a pattern of its schema`))
      return [];
  } catch (error) {
    return [messageOf(error)];
  }
  return [...new Set((check.errors ?? []).map(describe))];
}

function describe({ keyword, instancePath, params, message = 'is not valid' }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const field = (name?: unknown): string => fieldName(typeof name === 'string' ? [...path, name] : path);
  if (keyword === 'required') return `${field(params.missingProperty)}: is required`;
  if (keyword === 'additionalProperties') return `${field(params.additionalProperty)}: is not a known field`;
  if (keyword === 'enum') return `${field()}: must be one of ${JSON.stringify(params.allowedValues)}`;
  if (keyword === 'const') return `${field()}: must be ${JSON.stringify(params.allowedValue)}`;
  return `${field()}: ${message}`;
}

function fieldName(path: readonly string[]): string {
  if (path.length === 0) return 'arguments';
  return path.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`), '');
}

const validators = new WeakMap<object, ValidateFunction>();
type Compiler = { compile(schema: object): ValidateFunction; removeSchema(schema: object): unknown };
const compilers: Partial<Record<'draft7' | 'draft2020', Promise<Compiler>>> = {};

/** The full validator of a schema object, compiled once for as long as the object lives. */
async function compiled(schema: JsonSchema): Promise<ValidateFunction> {
  const known = validators.get(schema);
  if (known) return known;
  const draft = usesDraft2020(schema) ? 'draft2020' : 'draft7';
  compilers[draft] ??= loadCompiler(draft);
  const compiler = await compilers[draft];
  // The dialect is chosen; its name would only have to be one the library knows.
  const { $schema: _, ...rest } = schema;
  const check = compiler.compile(rest);
  // The library would keep it for ever, and tools come and go with their extensions.
  compiler.removeSchema(rest);
  validators.set(schema, check);
  return check;
}

/** Words that draft 7 does not have. */
const NEWER_WORDS =
  /"(?:prefixItems|\$dynamicRef|unevaluatedProperties|unevaluatedItems|dependentRequired|dependentSchemas|minContains|maxContains)":/;

function usesDraft2020(schema: JsonSchema): boolean {
  const dialect = schema.$schema;
  if (typeof dialect === 'string' && /20(?:19|20)-/.test(dialect)) return true;
  return NEWER_WORDS.test(JSON.stringify(schema));
}

async function loadCompiler(draft: 'draft7' | 'draft2020'): Promise<Compiler> {
  const options = {
    strict: false,
    allErrors: true,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
  } as const;
  // Loaded by the first call that is not plainly valid.
  // Only the default export of a CommonJS module is there both in Node itself and in a bundle.
  if (draft === 'draft2020') return new (await import('ajv/dist/2020.js')).default.Ajv2020(options);
  return new (await import('ajv')).default.Ajv(options);
}
