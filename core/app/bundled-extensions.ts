import path from 'node:path';
import offline from '../../extensions/offline/package.json' with { type: 'json' };
import type { ModelStream } from '../protocol/model-stream.js';
import type { ModelRegistry } from '../providers/registry.js';
import type { RegisteredProvider } from '../providers/registry-types.js';
import { bundledFolder } from '../resources/bundled-folder.js';
import type { ExtensionFile } from '../resources/extension-files.js';

/** Extensions that come with the program and are used by name: what their manifests say they bring is known before they are loaded. */
const PROVIDERS: ReadonlyMap<string, { extension: string; facts: RegisteredProvider }> = new Map([
  // A manifest of ours: what JSON calls texts are words of the contract.
  ['offline', { extension: 'offline', facts: offline.pi.provides.providers.offline as RegisteredProvider }],
]);

/** The extension that brings a provider, when one of ours does. */
export function bundledExtensionOf(provider: string): string | undefined {
  return PROVIDERS.get(provider)?.extension;
}

/** Its entry file. */
export function bundledExtension(name: string): ExtensionFile {
  const baseDir = path.join(bundledFolder(), 'extensions', name);
  return {
    path: path.join(baseDir, 'index.ts'),
    origin: { location: 'path', scope: 'temporary', origin: 'package', source: 'builtin', baseDir },
  };
}

/** Makes the providers of our extensions known. Their first request loads the extension, which puts itself in the place of this entry. */
export function registerBundledProviders(registry: ModelRegistry, use: (extension: string) => Promise<void>): void {
  for (const name of PROVIDERS.keys()) registry.registerProvider(name, bundledProvider(name, registry, use));
}

export function bundledProvider(
  name: string,
  registry: ModelRegistry,
  use: (extension: string) => Promise<void>,
): RegisteredProvider {
  const known = PROVIDERS.get(name);
  if (!known) throw new Error(`No extension of ours brings the provider ${name}`);
  const stream: ModelStream = async (request, emit) => {
    await use(known.extension);
    const real = registry.streamOf(request.model);
    if (!real || real === stream) throw new Error(`The bundled extension ${known.extension} did not register "${name}"`);
    return real(request, emit);
  };
  return { ...known.facts, keyless: true, stream };
}
