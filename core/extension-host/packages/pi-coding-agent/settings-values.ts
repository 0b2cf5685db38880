/** Settings as their files have them: unknown keys included. */
export type SettingValues = Record<string, unknown>;

export function isGroup(value: unknown): value is SettingValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The later one counts; groups are merged member by member. Source: settings document, "Project Overrides". */
export function mergeSettings(...layers: readonly SettingValues[]): SettingValues {
  const merged: SettingValues = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer)) {
      if (value === undefined || key === '__proto__') continue;
      const below = merged[key];
      merged[key] = isGroup(value) ? mergeSettings(isGroup(below) ? below : {}, value) : value;
    }
  }
  return merged;
}

/** The value at `compaction.enabled` and its like. */
export function settingAt(values: SettingValues, path: string): unknown {
  let here: unknown = values;
  for (const key of path.split('.')) here = isGroup(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  return here;
}

/** The same values with another at `path`; `undefined` takes it away. */
export function withSetting(values: SettingValues, path: string, value: unknown): SettingValues {
  const [key = '', ...rest] = path.split('.');
  const { [key]: old, ...others } = values;
  const inner = rest.length === 0 ? value : withSetting(isGroup(old) ? old : {}, rest.join('.'), value);
  return inner === undefined ? others : { ...values, [key]: inner };
}
