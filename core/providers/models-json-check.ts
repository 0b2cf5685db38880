import type { ThinkingLevel } from '../protocol/model.js';
import { nearest } from './model-suggest.js';
import type { CostTier, ModelConfig, ModelOverride, ProviderConfig, RegistryModel } from './registry-types.js';
import { isThinkingLevel } from './thinking.js';

export interface Problem {
  severity: 'error' | 'warning';
  /** Keys from the root of the file. */
  path: readonly string[];
  message: string;
}

type Report = (problem: Problem) => void;
type Path = readonly string[];
/** Gives the usable part of a value, or undefined after reporting what is wrong with it. */
type Check<T> = (value: unknown, path: Path, report: Report) => T | undefined;
type Fields<T> = { [K in keyof T]-?: Check<NonNullable<T[K]>> };

const wrong = (path: Path, report: Report, wanted: string): undefined => {
  report({ severity: 'error', path, message: `must be ${wanted}; it is ignored` });
  return undefined;
};

const text: Check<string> = (value, path, report) =>
  typeof value === 'string' && value.trim() !== '' ? value : wrong(path, report, 'a text that is not empty');

const flag: Check<boolean> = (value, path, report) => (typeof value === 'boolean' ? value : wrong(path, report, 'true or false'));

const price: Check<number> = (value, path, report) =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : wrong(path, report, 'a number of at least 0');

const count: Check<number> = (value, path, report) =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : wrong(path, report, 'a number greater than 0');

const record: Check<Record<string, unknown>> = (value, path, report) =>
  isRecord(value) ? value : wrong(path, report, 'an object');

const url: Check<string> = (value, path, report) =>
  typeof value === 'string' && URL.canParse(value) ? value : wrong(path, report, 'a URL such as "http://localhost:11434/v1"');

const inputs: Check<('text' | 'image')[]> = (value, path, report) =>
  Array.isArray(value) && value.length > 0 && value.every((kind) => kind === 'text' || kind === 'image')
    ? value
    : wrong(path, report, 'a list of "text" and "image"');

/** An object whose members are all checked by `check`; bad members are left out. */
const mapOf =
  <T>(check: Check<T>): Check<Record<string, T>> =>
  (value, path, report) => {
    if (!isRecord(value)) return wrong(path, report, 'an object');
    const entries = Object.entries(value).flatMap(([key, member]) => {
      const good = check(member, [...path, key], report);
      return good === undefined ? [] : [[key, good] as const];
    });
    return Object.fromEntries(entries);
  };

const levels: Check<Partial<Record<ThinkingLevel, string | null>>> = (value, path, report) => {
  if (!isRecord(value)) return wrong(path, report, 'an object: thinking level to a text or null');
  const map: Partial<Record<ThinkingLevel, string | null>> = {};
  for (const [level, word] of Object.entries(value)) {
    if (!isThinkingLevel(level)) wrong([...path, level], report, 'named off, minimal, low, medium, high, xhigh or max');
    else if (typeof word === 'string' || word === null) map[level] = word;
    else wrong([...path, level], report, 'a text or null');
  }
  return map;
};

const RATES = { input: price, output: price, cacheRead: price, cacheWrite: price };

const tier: Check<CostTier> = (value, path, report) => {
  const fields = checkFields<Partial<CostTier>>({ ...RATES, inputTokensAbove: price }, value, path, report);
  if (!fields) return undefined;
  if (fields.inputTokensAbove === undefined) return wrong(path, report, 'an object with inputTokensAbove and rates');
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...fields, inputTokensAbove: fields.inputTokensAbove };
};

const tiers: Check<CostTier[]> = (value, path, report) =>
  Array.isArray(value)
    ? value.flatMap((item, index) => tier(item, [...path, String(index)], report) ?? [])
    : wrong(path, report, 'a list of price tiers');

const cost: Check<Partial<RegistryModel['cost']>> = (value, path, report) =>
  checkFields<Partial<RegistryModel['cost']>>({ ...RATES, tiers }, value, path, report);

const OVERRIDE_FIELDS: Fields<ModelOverride> = {
  name: text,
  reasoning: flag,
  thinkingLevelMap: levels,
  input: inputs,
  cost,
  contextWindow: count,
  maxTokens: count,
  samplingParams: record,
  headers: mapOf(text),
  compat: record,
};

const MODEL_FIELDS: Fields<ModelConfig> = { ...OVERRIDE_FIELDS, id: text, api: text, baseUrl: url };

const model: Check<ModelConfig> = (value, path, report) => {
  const fields = checkFields<Partial<ModelConfig>>(MODEL_FIELDS, value, path, report);
  if (!fields) return undefined;
  if (fields.id !== undefined) return { ...fields, id: fields.id };
  if (!isRecord(value) || value.id === undefined) wrong(path, report, 'an object with an "id"');
  return undefined;
};

const models: Check<ModelConfig[]> = (value, path, report) =>
  Array.isArray(value)
    ? value.flatMap((item, index) => model(item, [...path, String(index)], report) ?? [])
    : wrong(path, report, 'a list of models');

const override: Check<ModelOverride> = (value, path, report) => checkFields<ModelOverride>(OVERRIDE_FIELDS, value, path, report);

const PROVIDER_FIELDS: Fields<ProviderConfig> = {
  name: text,
  baseUrl: url,
  api: text,
  apiKey: text,
  headers: mapOf(text),
  authHeader: flag,
  compat: record,
  models,
  modelOverrides: mapOf(override),
};

/** The usable part of one provider's settings. */
export function checkProvider(value: unknown, path: Path, report: Report): ProviderConfig | undefined {
  if (isRecord(value) && value.oauth !== undefined) {
    report({ severity: 'warning', path: [...path, 'oauth'], message: 'signing in is not supported here; it is ignored' });
  }
  return checkFields<ProviderConfig>(PROVIDER_FIELDS, value, path, report);
}

/** Checks the members that have a check; a member we don't know is kept out, and reported when it looks like a slip of one we do. */
function checkFields<T extends object>(checks: Fields<T>, value: unknown, path: Path, report: Report): T | undefined {
  if (!isRecord(value)) return wrong(path, report, 'an object');
  const known: Record<string, Check<unknown>> = checks;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (!check) {
      const [meant] = nearest(key, Object.keys(known), 1);
      if (meant)
        report({ severity: 'warning', path: [...path, key], message: `is not a known setting; did you mean "${meant}"?` });
      continue;
    }
    const good = check(member, [...path, key], report);
    if (good !== undefined) out[key] = good;
  }
  // Each member was checked against the field of T that bears its name.
  return out as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
