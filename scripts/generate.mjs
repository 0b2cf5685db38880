#!/usr/bin/env node
// Writes everything that is made from the schemas of core/protocol: validators, lists of names, the reference in
// docs/; the table of options in README.md, from the table the command line is parsed by; the schema and the table of settings; and the
// page about the packages that extensions import, from those packages; the reference of the extension API, from its contract.
//   node scripts/generate.mjs           write what changed
//   node scripts/generate.mjs --check   write nothing; exit 1 and name what is stale
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXTENSION_API_PAGE, extensionApiReference } from './lib/extension-api-reference.mjs';
import { HOST_PACKAGES_PAGE, hostPackagesPage } from './lib/host-packages-page.mjs';
import { namesCode } from './lib/names-code.mjs';
import { protocolReference } from './lib/protocol-reference.mjs';
import { ROOT, readProtocol } from './lib/protocol-schemas.mjs';
import { readmeWithOptions } from './lib/readme-options.mjs';
import { settingsReference } from './lib/settings-reference.mjs';
import { validatorCode } from './lib/validator-code.mjs';

/** Path from the repository's root -> content. */
export async function generate() {
  const protocol = await readProtocol();
  const { code, declaration } = validatorCode(protocol);
  const settings = await settingsReference();
  return new Map([
    ['core/protocol/generated/validators.gen.mjs', code],
    ['core/protocol/generated/validators.gen.d.mts', declaration],
    ['core/protocol/generated/names.gen.ts', namesCode(protocol)],
    ['docs/PROTOCOL.md', protocolReference(protocol)],
    ['docs/schema/protocol.schema.json', schemaDocument(protocol)],
    ['docs/schema/settings.schema.json', settings.schema],
    ['docs/settings.md', settings.page],
    [EXTENSION_API_PAGE, await extensionApiReference()],
    [HOST_PACKAGES_PAGE, await hostPackagesPage()],
    ['README.md', await readmeWithOptions()],
  ]);
}

function schemaDocument({ $defs }) {
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The JSONL protocol of pi',
    description:
      'Generated from core/protocol. `<command>.params` are the fields of a command besides `id` and `type`, `<command>.result` its `data`.',
    $defs,
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** Writes what differs, or only names it; returns the paths that differed. */
export async function updateGenerated({ check = false } = {}) {
  const stale = [];
  for (const [file, content] of await generate()) {
    const target = path.join(ROOT, file);
    const current = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : undefined;
    if (current === content) continue;
    stale.push(file);
    if (check) continue;
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, content);
  }
  return stale;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes('--check');
  const stale = await updateGenerated({ check });
  for (const file of stale) console.log(`${check ? 'stale' : 'written'}: ${file}`);
  if (stale.length === 0) console.log('Generated files are up to date.');
  else if (check) console.log('Run `npm run generate` and commit the result.');
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}
