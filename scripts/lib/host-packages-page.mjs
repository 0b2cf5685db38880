// docs/host-packages.md: which names of the packages that extensions import work here, and which only say what to use instead. Found by
// importing the packages, so that the page says what is so. scripts/generate.mjs writes it.
import fs from 'node:fs';
import path from 'node:path';
import { importTypeScript, ROOT } from './protocol-schemas.mjs';

export const HOST_PACKAGES_PAGE = 'docs/host-packages.md';
const FOLDER = 'core/extension-host/packages';

/** What follows the scope in an import -> the file in core/extension-host/packages/ (and in dist/extension-host/packages/). */
export const HOST_PACKAGES = {
  'pi-coding-agent': 'pi-coding-agent',
  'pi-tui': 'pi-tui',
  'pi-ai': 'pi-ai',
  'pi-ai/compat': 'pi-ai-compat',
  'pi-ai/oauth': 'pi-ai-oauth',
  'pi-ai/providers/all': 'pi-ai-providers-all',
  'pi-agent-core': 'pi-agent-core',
  typebox: 'typebox',
  'typebox/value': 'typebox-value',
  'typebox/compile': 'typebox-compile',
};

/** Packages of which a page need not say every name: libraries, whole; or the same as another. */
const NOTES = {
  'pi-ai/compat': 'The same names, and the same functions, as `pi-ai`.',
  'pi-ai/oauth': 'Has only types.',
  typebox: 'The whole library, version 1.3.7. `@sinclair/typebox` gives the same.',
  'typebox/value': 'The whole library. `@sinclair/typebox/value` gives the same.',
  'typebox/compile': 'The whole library. `@sinclair/typebox/compile` gives the same.',
};

const INTRODUCTION = `# Packages that extensions import

An extension imports these without installing them, under \`@earendil-works/\` or \`@mariozechner/\`; \`typebox\` also as
\`@sinclair/typebox\`. A package is loaded by the first import of it. Every name that the packages of the existing program have (0.84) can be
imported. Most of them work; the others throw an error with the code \`HOST_PACKAGE_UNSUPPORTED\` when they are called, constructed or read,
never when they are imported, and the error says what to use instead, as this page does.
`;

/** The page's text. */
export async function hostPackagesPage() {
  const present = Object.entries(HOST_PACKAGES).filter(([, file]) => fs.existsSync(path.join(ROOT, FOLDER, `${file}.ts`)));
  // One bundle, so that all packages share the mark that is looked for.
  const source = [
    `export { unsupportedReason } from './${FOLDER}/unsupported.ts';`,
    ...present.map(([, file], at) => `export * as package${at} from './${FOLDER}/${file}.ts';`),
  ].join('\n');
  const { unsupportedReason, ...modules } = await importTypeScript(source, ROOT);
  const sections = present.map(([name], at) => section(name, modules[`package${at}`], unsupportedReason));
  return [INTRODUCTION, ...sections].join('\n');
}

function section(name, module, unsupportedReason) {
  if (NOTES[name]) return `## ${name}\n\n${NOTES[name]}\n`;
  const works = [];
  const missing = new Map();
  for (const exported of Object.keys(module).sort()) {
    const reason = unsupportedReason(module[exported]);
    if (reason === undefined) works.push(exported);
    else missing.set(reason, [...(missing.get(reason) ?? []), exported]);
  }
  const lines = [`## ${name}`, '', `Work: ${listed(works)}.`, ''];
  if (missing.size > 0) {
    lines.push('| Throw when used | Instead |', '| --- | --- |');
    for (const [reason, names] of missing) lines.push(`| ${listed(names)} | ${reason.replaceAll('|', '\\|')} |`);
    lines.push('');
  }
  return lines.join('\n');
}

const listed = (names) => names.map((name) => `\`${name}\``).join(', ');
