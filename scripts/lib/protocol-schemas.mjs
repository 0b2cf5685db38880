// Loads the zod schemas of core/protocol and turns them into JSON Schemas. Only build-time code may do this: the program never loads zod.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROTOCOL = path.join(ROOT, 'core/protocol');

/** Every schema file of the room; the order is that of the names, so that the output never depends on the file system. */
function schemaFiles() {
  const here = fs.readdirSync(PROTOCOL);
  const commands = fs.readdirSync(path.join(PROTOCOL, 'commands')).map((name) => `commands/${name}`);
  return [...here, ...commands]
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .filter((name) => /from 'zod'|commands\/index\.ts$/.test(fs.readFileSync(path.join(PROTOCOL, name), 'utf8')))
    .sort();
}

/** Runs TypeScript source as a module: bundled aside, imported, forgotten. Packages stay imports. */
export async function importTypeScript(contents, resolveDir) {
  importSerial += 1;
  const outfile = path.join(ROOT, `node_modules/.cache/pi-platform/${process.pid}-${importSerial}.mjs`);
  await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    fs.rmSync(outfile, { force: true });
  }
}
let importSerial = 0;

/** The exports of every schema file: `{ modules: { 'content.ts': exports, … }, z }`. */
async function loadProtocol() {
  const files = schemaFiles();
  const entry = files.map((file, index) => `export * as m${index} from './${file}';`);
  const loaded = await importTypeScript([...entry, `export * as z from 'zod';`].join('\n'), PROTOCOL);
  return { z: loaded.z, modules: Object.fromEntries(files.map((file, index) => [file, loaded[`m${index}`]])) };
}

/** Every exported `XSchema`, by the name `X`. */
function namedSchemas(modules) {
  const named = new Map();
  for (const exports of Object.values(modules)) {
    for (const [name, value] of Object.entries(exports)) {
      if (name.endsWith('Schema') && typeof value?.safeParse === 'function') named.set(name.slice(0, -'Schema'.length), value);
    }
  }
  return named;
}

/** Plain alternatives become one `type` list and the bounds of JavaScript's integers go: both only make errors and code longer. */
function simplify({ jsonSchema }) {
  if (jsonSchema.anyOf?.every((option) => Object.keys(option).length === 1 && typeof option.type === 'string')) {
    jsonSchema.type = jsonSchema.anyOf.map((option) => option.type);
    delete jsonSchema.anyOf;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/**
 * The protocol as data: `commands` (`{ name, summary, source, params, result }`, schemas as `$ref` names) and `$defs`.
 * A command's fields are the definition `<name>.params`, its answer `<name>.result`.
 */
export async function readProtocol() {
  const { z, modules } = await loadProtocol();
  const { COMMANDS } = modules['commands/index.ts'];
  const registry = z.registry();
  const named = namedSchemas(modules);
  const taken = new Map();
  for (const [name, schema] of named) {
    if (!taken.has(schema)) registry.add(schema, { id: name });
    taken.set(schema, taken.get(schema) ?? name);
  }
  const nameOf = (schema, fallback) => {
    if (!taken.has(schema)) {
      registry.add(schema, { id: fallback });
      taken.set(schema, fallback);
    }
    return taken.get(schema);
  };
  const commands = COMMANDS.map((command) => ({
    name: command.name,
    summary: command.summary,
    source: command.source,
    params: nameOf(command.params, `${command.name}.params`),
    result: command.result && nameOf(command.result, `${command.name}.result`),
  }));
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/$defs/${id}`,
    override: simplify,
  });
  const $defs = {};
  for (const id of Object.keys(schemas).sort()) {
    const { $schema: _dialect, $id: _id, ...schema } = schemas[id];
    $defs[id] = schema;
  }
  return { commands, $defs };
}
