/** Typed looks at parsed JSON of providers: what is missing or of another type reads as undefined. */
export type Wire = Record<string, unknown>;

export const isWire = (value: unknown): value is Wire => typeof value === 'object' && value !== null && !Array.isArray(value);
export const wireOf = (value: unknown): Wire | undefined => (isWire(value) ? value : undefined);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const listOf = (value: unknown): Wire[] => (Array.isArray(value) ? value.filter(isWire) : []);

/** The JSON object in `text`, for signatures that hold one; undefined for any other text. */
export function wireFromJson(text: string | undefined): Wire | undefined {
  if (!text?.startsWith('{')) return undefined;
  try {
    return wireOf(JSON.parse(text));
  } catch {
    // Another program's signature: opaque to this dialect.
    return undefined;
  }
}
