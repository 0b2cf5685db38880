import { isGroup, type SettingMembers } from './setting-kinds.js';
import { SETTINGS } from './setting-table.js';

/** The JSON Schema of settings.json, for editors. Unknown keys are allowed: extensions keep theirs there. */
export function settingsJsonSchema(): Record<string, unknown> {
  const schema = objectSchema(SETTINGS);
  const properties = { $schema: { type: 'string', description: 'Where this schema is, for editors.' }, ...schema.properties };
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Settings of pi', ...schema, properties };
}

function objectSchema(table: SettingMembers): { properties: Record<string, unknown>; [key: string]: unknown } {
  const properties = Object.entries(table).map(([key, entry]) => {
    if (isGroup(entry)) return [key, objectSchema(entry.members)];
    const description = entry.inProject === 'refused' ? `${entry.help}. Only in the global settings.` : `${entry.help}.`;
    return [key, { ...entry.kind.schema, description, ...(entry.fallback !== undefined && { default: entry.fallback }) }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}
