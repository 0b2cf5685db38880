// The table of options in README.md, between its two markers, from the table the command line is parsed by.
import fs from 'node:fs';
import path from 'node:path';
import { importTypeScript, ROOT } from './protocol-schemas.mjs';

const REGION = /(<!-- options:.*-->\n)[\s\S]*?(<!-- \/options -->)/;

export async function readmeWithOptions() {
  const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const { OPTIONS, OPTION_GROUPS } = await importTypeScript(`export * from './core/modes/cli/option-table.ts';`, ROOT);
  const lines = OPTION_GROUPS.flatMap((group) => {
    const rows = OPTIONS.filter((row) => row.group === group && !row.terminalOnly);
    return rows.map((row, index) => `| ${index === 0 ? group : ''} | ${spellings(row)} | ${row.help.replaceAll('|', '\\|')} |`);
  });
  const ignored = OPTIONS.filter((row) => row.terminalOnly && !row.refused).map((row) => `\`--${row.name}\``);
  const text = [
    '| | Option | |',
    '| --- | --- | --- |',
    ...lines,
    '',
    `Accepted and without effect, because they only matter in a terminal: ${ignored.join(', ')}.`,
    '',
  ].join('\n');
  if (!REGION.test(readme)) throw new Error('README.md has lost the markers of its table of options.');
  return readme.replace(REGION, (_all, start, end) => `${start}${text}${end}`);
}

function spellings(row) {
  const value = row.valueName ? ` ${row.kind === 'optionalValue' ? `[${row.valueName}]` : `<${row.valueName}>`}` : '';
  return [`\`--${row.name}${value}\``, ...(row.aliases ?? []).map((alias) => `\`${alias}\``)].join(', ').replaceAll('|', '\\|');
}
