import { isPlainObject } from './setting-kinds.js';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/** A rule that a field breaks. */
export interface BrokenRule {
  key: string;
  message: string;
}

/** Why a skill can't be used at all. A name is typed after `/skill:` and is part of no path. */
export function fatalFlaw(name: string, description: string, written: unknown): BrokenRule | undefined {
  if (description === '') {
    const isText = written === undefined || written === null || typeof written === 'string';
    const message = isText ? 'its description is missing or blank' : 'its description must be a text';
    return { key: 'description', message };
  }
  if (!/[\s/\\\p{Cc}]/u.test(name) && name !== '.' && name !== '..') return undefined;
  return { key: 'name', message: `"${name}" can't be the name of a skill` };
}

/**
 * What is against the specification in the fields of a skill that loads all the same. That its name is not that of its folder is
 * allowed here. Source: Agent Skills specification, "Frontmatter"; "Skills", Validation.
 */
export function brokenRules(name: string, description: string, fields: Readonly<Record<string, unknown>>): BrokenRule[] {
  const broken: BrokenRule[] = [];
  const check = (isBroken: boolean, key: string, message: string): void => {
    if (isBroken) broken.push({ key, message });
  };
  const isOfLetters = /^[a-z0-9-]+$/.test(name);
  check(!isOfLetters, 'name', `the name "${name}" should be of small letters a-z, digits and dashes`);
  const isDashed = isOfLetters && /^-|-$|--/.test(name);
  check(isDashed, 'name', `the name "${name}" should not begin or end with a dash, or have two in a row`);
  const atMost = (key: string, text: string, max: number): void =>
    check(text.length > max, key, `"${key}" has ${text.length} characters; at most ${max} are meant`);
  atMost('name', name, MAX_NAME);
  atMost('description', description, MAX_DESCRIPTION);
  const { compatibility, metadata } = fields;
  if (typeof compatibility === 'string') atMost('compatibility', compatibility, MAX_COMPATIBILITY);
  const isMapping = metadata === undefined || metadata === null || isPlainObject(metadata);
  check(!isMapping, 'metadata', '"metadata" should be keys with values');
  return broken;
}
