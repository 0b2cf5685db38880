import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createModelRegistry, type ModelRegistry, type ModelRegistryOptions } from '../../../../core/providers/registry.js';
import type { RegistryDiagnostic } from '../../../../core/providers/registry-types.js';

export const BUILT_IN = new Set(['anthropic-messages', 'openai-completions', 'openai-responses']);

/** A folder with these files, gone after the test; objects are written as JSON. */
export function agentDirWith(files: Record<string, unknown> = {}): string {
  const root = mkdtempSync(path.join(os.tmpdir(), 'pi-registry-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = path.join(root, 'agent');
  mkdirSync(dir, { mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(dir, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  }
  return dir;
}

export interface TestRegistry extends ModelRegistry {
  agentDir: string;
  diagnostics: RegistryDiagnostic[];
}

export function registryWith(files: Record<string, unknown> = {}, options: Partial<ModelRegistryOptions> = {}): TestRegistry {
  const agentDir = agentDirWith(files);
  const diagnostics: RegistryDiagnostic[] = [];
  const registry = createModelRegistry({
    agentDir,
    env: {},
    knownApis: () => BUILT_IN,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  return { ...registry, agentDir, diagnostics };
}

/** One provider of models.json, with a key unless `more` says otherwise. */
export const provider = (
  models: readonly (string | Record<string, unknown>)[],
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  baseUrl: 'http://127.0.0.1:9/v1',
  api: 'openai-completions',
  apiKey: 'literal-key',
  models: models.map((model) => (typeof model === 'string' ? { id: model } : model)),
  ...more,
});

export const names = (models: readonly { provider: string; id: string }[]): string[] =>
  models.map(({ provider: from, id }) => `${from}/${id}`);
