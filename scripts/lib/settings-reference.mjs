// What is made from the table of settings: their JSON Schema, and the tables of docs/settings.md between its markers.
import fs from 'node:fs';
import path from 'node:path';
import { importTypeScript, ROOT } from './protocol-schemas.mjs';

const REGION = /(<!-- settings:.*-->\n)[\s\S]*?(<!-- \/settings -->)/;

/** The schema document and the page, as text. */
export async function settingsReference() {
  const { SETTINGS, settingsJsonSchema } = await importTypeScript(
    `export * from './core/resources/setting-table.ts'; export * from './core/resources/settings-schema.ts';`,
    ROOT,
  );
  const page = fs.readFileSync(path.join(ROOT, 'docs/settings.md'), 'utf8');
  if (!REGION.test(page)) throw new Error('docs/settings.md has lost the markers of its table of settings.');
  const table = ['| Setting | Must be | Default | |', '| --- | --- | --- | --- |', ...rows(SETTINGS, ''), ''].join('\n');
  return {
    schema: `${JSON.stringify(settingsJsonSchema(), null, 1)}\n`,
    page: page.replace(REGION, (_all, start, end) => `${start}${table}${end}`),
  };
}

function rows(members, above) {
  return Object.entries(members).flatMap(([name, entry]) => {
    const key = `${above}${name}`;
    if (entry.members) return rows(entry.members, `${key}.`);
    const fallback = entry.fallback === undefined ? '' : `\`${JSON.stringify(entry.fallback)}\``;
    const only = entry.inProject === 'refused' ? ' (global only)' : '';
    const cells = [`\`${key}\``, entry.kind.must, fallback, `${entry.help}${only}`];
    return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`];
  });
}
