import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export type Sdk = typeof import('./sdk-entry.js');

const BUNDLE = new URL('../../dist/extension-host/mcp-sdk.cjs', import.meta.url);

/** Loaded at the first call, which is made when a server is configured. `require`, as Node then runs the file as it is. */
export function loadSdk(): Sdk {
  return createRequire(import.meta.url)(fileURLToPath(BUNDLE)) as Sdk; // made from sdk-entry.ts
}
