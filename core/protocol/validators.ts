import type { CommandName, Params } from './commands/index.js';
import { COMMAND_NAMES } from './generated/names.gen.js';
import { type Check, type CheckError, checks, required } from './generated/validators.gen.mjs';
import type { UiResponse } from './ui.js';

export type Validated<T> = { ok: true; params: T } | { ok: false; error: string };

const names: ReadonlySet<string> = new Set(COMMAND_NAMES);

export function isCommandName(value: unknown): value is CommandName {
  return typeof value === 'string' && names.has(value);
}

/**
 * Checks the fields of a command. Unknown fields are ignored and `null` counts as left out: clients whose language has no other word
 * for "nothing" write it. The error is one sentence for a person and names the field.
 */
export function validateCommand<N extends CommandName>(name: N, value: unknown): Validated<Params<N>> {
  return validate<Params<N>>(name, `Invalid "${name}" command`, value);
}

/** Checks a client's answer to a dialog. */
export function validateUiResponse(value: unknown): Validated<UiResponse> {
  return validate<UiResponse>('uiResponse', 'Invalid "extension_ui_response"', value);
}

function validate<T>(name: string, prefix: string, value: unknown): Validated<T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, error: `${prefix}: it must be an object` };
  }
  const params = withoutNulls(value);
  const check: Check | undefined = checks[name];
  // The compiled check and T come from the same schema.
  if (!check || check(params)) return { ok: true, params: params as T };
  const [error] = check.errors ?? [];
  return { ok: false, error: `${prefix}: ${error ? explain(name, error) : 'it does not have the expected shape'}` };
}

function withoutNulls(value: object): object {
  const fields = Object.entries(value);
  return fields.some(([, field]) => field === null) ? Object.fromEntries(fields.filter(([, field]) => field !== null)) : value;
}

function explain(name: string, error: CheckError): string {
  const field = `"${fieldPath(error.instancePath)}"`;
  switch (error.keyword) {
    case 'required': {
      const missing = String(error.params.missingProperty);
      const type = error.instancePath === '' ? required[`${name}/${missing}`] : undefined;
      return `"${fieldPath(`${error.instancePath}/${missing}`)}" is required${type ? ` (${type})` : ''}`;
    }
    case 'type':
      return `${field} must be ${withArticle([error.params.type].flat().join(' or '))}`;
    case 'enum':
      return `${field} must be ${quoteAll(error.params.allowedValues)}`;
    case 'const':
      return `${field} must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'minLength':
      return `${field} must not be empty`;
    default:
      return `${field} is not valid (${error.keyword})`;
  }
}

/** `/images/0/data` -> `images[0].data` */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .replace(/^\./, '');
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function quoteAll(values: unknown): string {
  const words = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join();
}
