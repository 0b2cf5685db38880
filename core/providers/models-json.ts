import { readFile } from 'node:fs/promises';
import { messageOf } from '../base/coded-error.js';
import { checkProvider, type Problem } from './models-json-check.js';
import { parseCommentedJson } from './models-json-parse.js';
import type { ProviderConfig, RegistryDiagnostic } from './registry-types.js';

export interface ModelsJson {
  /** In the order of the file. */
  providers: ReadonlyMap<string, ProviderConfig>;
  diagnostics: readonly RegistryDiagnostic[];
  /** Where a key stands, counted from 1; the path starts at the root. */
  lineOf: (path: readonly string[]) => number | undefined;
}

const NOTHING: ModelsJson = { providers: new Map(), diagnostics: [], lineOf: () => undefined };

/** Reads the file; none is nothing. What can't be used is left out with a diagnostic that names line and key, the rest applies. */
export async function readModelsJson(file: string): Promise<ModelsJson> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
    const message = `cannot read it (${messageOf(error)}); its providers and models are missing`;
    return { ...NOTHING, diagnostics: [{ kind: 'models', severity: 'error', message: `${file}: ${message}`, path: file }] };
  }
  return parseModelsJson(text, file);
}

/** The same for a text that was read from `file`. Source: models document. */
export function parseModelsJson(text: string, file: string): ModelsJson {
  const diagnostics: RegistryDiagnostic[] = [];
  const report = ({ severity, path, message }: Problem, line?: number): void => {
    const key = path.join('.');
    const place = `${file}${line === undefined ? '' : `:${line}`}`;
    diagnostics.push({
      kind: 'models',
      severity,
      message: `${place}: ${key ? `${key}: ` : ''}${message}`,
      path: file,
      ...(line === undefined ? {} : { line }),
      ...(key ? { key } : {}),
    });
  };
  if (text.trim() === '') return { ...NOTHING, diagnostics };
  const json = parseCommentedJson(text);
  if (!json.ok) {
    report({ severity: 'error', path: [], message: `not valid JSON (column ${json.column}): ${json.message}` }, json.line);
    return { ...NOTHING, diagnostics };
  }
  for (const { key, line } of json.duplicates) {
    report({ severity: 'warning', path: [key], message: 'this key is there twice; the last one counts' }, line);
  }
  const problem = (found: Problem): void => {
    // A missing key has no line of its own: the nearest one around it that has is shown.
    for (let length = found.path.length; length > 0; length--) {
      const line = json.lineOf(found.path.slice(0, length));
      if (line !== undefined) {
        report(found, line);
        return;
      }
    }
    report(found, 1);
  };
  const providers = new Map<string, ProviderConfig>();
  const root = isRecord(json.value) ? json.value : undefined;
  const list = root?.providers;
  if (!root) problem({ severity: 'error', path: [], message: 'must be an object with "providers"' });
  else if (list === undefined) problem({ severity: 'warning', path: [], message: 'has no "providers"' });
  else if (!isRecord(list))
    problem({ severity: 'error', path: ['providers'], message: 'must be an object: provider name to its settings' });
  else {
    for (const [name, value] of Object.entries(list)) {
      const config = checkProvider(value, ['providers', name], problem);
      if (config) providers.set(name, config);
    }
  }
  return { providers, diagnostics, lineOf: json.lineOf };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
