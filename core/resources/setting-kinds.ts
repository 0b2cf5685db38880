/**
 * The kinds a setting can be of. One value of these describes a setting once: its type, its check, its default and its JSON
 * Schema all come from it. (zod would do the same, and costs every start more time than reading the file.)
 */
export interface Kind<T> {
  /** Never set: carries the type. */
  readonly _type?: T;
  /** What a value must be, for messages: `true or false`. */
  readonly must: string;
  readonly check: (value: unknown) => boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Setting<T, D> {
  readonly kind: Kind<T>;
  readonly fallback: D;
  readonly help: string;
  /**
   * What a project's file may say about it; by default it wins over the global one. `refused`: nothing, and saying something is
   * reported. `apart`: it is kept beside the global value and never merged over it.
   */
  readonly inProject?: 'refused' | 'apart';
}

/** A group of settings, merged member by member. */
export interface SettingGroup<M extends SettingMembers> {
  readonly members: M;
}

export interface SettingMembers {
  readonly [key: string]: Setting<unknown, unknown> | SettingGroup<SettingMembers>;
}

type Optional<M> = {
  [K in keyof M]: M[K] extends Setting<unknown, infer D> ? (undefined extends D ? K : never) : never;
}[keyof M];

type TypeOf<X> = X extends SettingGroup<infer M> ? SettingsOf<M> : X extends Setting<infer T, unknown> ? T : never;

/** The settings a table describes: optional where there is no default. */
export type SettingsOf<M> = { readonly [K in Exclude<keyof M, Optional<M>>]: TypeOf<M[K]> } & {
  readonly [K in Optional<M>]?: TypeOf<M[K]>;
};

/** The same with everything optional: what one file says. */
export type PartialSettingsOf<M> = {
  readonly [K in keyof M]?: M[K] extends SettingGroup<infer G> ? PartialSettingsOf<G> : TypeOf<M[K]>;
};

export function isGroup(entry: Setting<unknown, unknown> | SettingGroup<SettingMembers>): entry is SettingGroup<SettingMembers> {
  return 'members' in entry;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const bool: Kind<boolean> = {
  must: 'true or false',
  check: (value) => typeof value === 'boolean',
  schema: { type: 'boolean' },
};

export const text: Kind<string> = { must: 'a text', check: (value) => typeof value === 'string', schema: { type: 'string' } };

export const texts: Kind<readonly string[]> = {
  must: 'a list of texts',
  check: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  schema: { type: 'array', items: { type: 'string' } },
};

/** A whole number of at least `min`. */
export function count(min = 0, max = Number.MAX_SAFE_INTEGER): Kind<number> {
  return {
    must: max === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`,
    check: (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    schema: { type: 'integer', minimum: min, ...(max !== Number.MAX_SAFE_INTEGER && { maximum: max }) },
  };
}

/** Milliseconds, as far as a timer can count. */
export const milliseconds: Kind<number> = count(0, 2_147_483_647);

export function oneOf<const C extends readonly string[]>(...choices: C): Kind<C[number]> {
  return {
    must: choices.map((choice) => `"${choice}"`).join(' or '),
    check: (value) => typeof value === 'string' && choices.includes(value),
    schema: { enum: choices },
  };
}

/** Anything whose reader checks it itself. */
export function custom<T>(must: string, check: (value: unknown) => boolean, schema: Readonly<Record<string, unknown>>): Kind<T> {
  return { must, check, schema };
}

/** A setting without a default. */
export function maybe<T>(kind: Kind<T>, help: string): Setting<T, undefined> {
  return { kind, fallback: undefined, help };
}

/** A setting with a default. */
export function setting<T>(kind: Kind<T>, fallback: NoInfer<T>, help: string): Setting<T, T> {
  return { kind, fallback, help };
}

/** The same setting, closed to project files or kept apart. */
export function inProject<S extends Setting<unknown, unknown>>(how: 'refused' | 'apart', entry: S): S {
  return { ...entry, inProject: how };
}

export function group<M extends SettingMembers>(members: M): SettingGroup<M> {
  return { members };
}
