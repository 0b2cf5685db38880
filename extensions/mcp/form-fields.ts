import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';

export type FieldValue = string | number | boolean | string[];

/** One thing a form asks for. */
export interface Field {
  name: string;
  label: string;
  required: boolean;
  /** For an empty line. */
  hint: string | undefined;
  /** What there is to choose from. */
  choices?: string[];
  /** Of the schema, for when nothing is given. */
  fallback: FieldValue | undefined;
  read(text: string): { value: FieldValue } | { problem: string };
}

type Schema = ElicitRequestFormParams['requestedSchema'];

/** The members that the kinds of a property have between them. */
interface Property {
  type?: string;
  title?: string;
  description?: string;
  default?: FieldValue;
  enum?: string[];
  enumNames?: string[];
  oneOf?: { const: string; title?: string }[];
  items?: { enum?: string[]; anyOf?: { const: string; title?: string }[] };
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
}

export function fieldsOf({ properties, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const property = schema as Property; // a union of kinds; each is told by what it has
    return {
      name,
      label: [property.title ?? name, property.description].filter(Boolean).join(': '),
      required: required.includes(name),
      hint: property.default === undefined ? undefined : String(property.default),
      fallback: property.default,
      ...kindOf(property),
    };
  });
}

function kindOf(property: Property): Pick<Field, 'choices' | 'read'> {
  if (property.type === 'boolean') return { choices: ['yes', 'no'], read: (text) => ({ value: text === 'yes' }) };
  if (property.type === 'array') return { read: (text) => readList(text, property) };
  const options = optionsOf(property);
  if (options) {
    return {
      choices: options.map(({ title }) => title),
      read: (text) => ({ value: options.find(({ title }) => title === text)?.value ?? text }),
    };
  }
  if (property.type === 'number' || property.type === 'integer') return { read: (text) => readNumber(text, property) };
  return { read: (text) => readText(text, property) };
}

function optionsOf(property: Property): { value: string; title: string }[] | undefined {
  if (property.oneOf) return property.oneOf.map((one) => ({ value: one.const, title: one.title ?? one.const }));
  return property.enum?.map((value, at) => ({ value, title: property.enumNames?.[at] ?? value }));
}

/** Several of a list, with commas between them, by their values or titles. */
function readList(
  text: string,
  { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Property,
): ReturnType<Field['read']> {
  const options =
    items?.anyOf?.map((one) => ({ value: one.const, title: one.title ?? one.const })) ??
    items?.enum?.map((value) => ({ value, title: value })) ??
    [];
  const given = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const found = given.map((part) => options.find(({ value, title }) => value === part || title === part)?.value);
  const value = found.filter((one) => one !== undefined);
  if (value.length < found.length) return { problem: `Some of: ${options.map(({ title }) => title).join(', ')}` };
  if (value.length < minItems || value.length > maxItems) return { problem: `From ${minItems} to ${maxItems} of them` };
  return { value };
}

function readNumber(text: string, { type, minimum, maximum }: Property): ReturnType<Field['read']> {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return { problem: 'A number, please' };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: 'A whole number, please' };
  if (minimum !== undefined && value < minimum) return { problem: `${minimum} at least` };
  if (maximum !== undefined && value > maximum) return { problem: `${maximum} at most` };
  return { value };
}

const FORMATS: Record<string, RegExp> = {
  email: /^[^\s@]+@[^\s@]+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d/,
};

function readText(
  text: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format }: Property,
): ReturnType<Field['read']> {
  if (text.length < minLength) return { problem: `${minLength} characters at least` };
  if (text.length > maxLength) return { problem: `${maxLength} characters at most` };
  const fits = format === 'uri' ? URL.canParse(text) : (FORMATS[format ?? '']?.test(text) ?? true);
  return fits ? { value: text } : { problem: `This is no ${format}` };
}
