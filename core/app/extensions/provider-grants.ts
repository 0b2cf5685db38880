import type { CodedError } from '../../base/coded-error.js';
import type { BridgedProvider } from '../../extension-host/contract/registrations.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import { parseEnvValue } from '../../providers/env-value.js';

export type Deny = (record: ExtensionRecord, what: string, capability: string) => CodedError;

/**
 * A provider says where requests go, and how a key is come by: with a variable, or a command. Of an extension that is not trusted this must
 * not be a way to what it is not granted. Throws `CAPABILITY_DENIED`.
 */
export function assertProviderGranted(
  record: ExtensionRecord,
  { name, config, streams }: BridgedProvider,
  isOthers: boolean,
  deny: Deny,
): void {
  const { grants, auditFile } = record.spec;
  // One whose needs are being written down may do everything for once.
  if (!grants || auditFile !== undefined) return;
  const what = `The provider "${name}"`;
  // Requests to a provider that is there already carry its key.
  if (isOthers && !grants.hasAny(`secrets:${name}`)) throw deny(record, `${what}, which others define,`, `secrets:${name}`);
  for (const text of secretsIn(config)) {
    const value = parseEnvValue(text);
    if (value.kind === 'command') {
      if (!grants.mayRun('sh')) throw deny(record, `${what} with a key that a command prints`, 'exec:sh');
      continue;
    }
    for (const part of value.parts)
      if ('variable' in part && !grants.variables.includes(part.variable))
        throw deny(record, `${what} with a key from the environment`, `env:${part.variable}`);
  }
  if (streams) return;
  for (const text of addressesIn(config)) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const port = Number(url?.port) || (url?.protocol === 'http:' ? 80 : 443);
    if (!url || !grants.mayReach(url.hostname.replace(/^\[|\]$/g, ''), port))
      throw deny(record, `${what} at ${text}`, `net:${url?.host ?? text}`);
  }
}

/** Keys and headers, of the provider and of each model. */
function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, isSecret || key === 'apiKey' || key === 'headers'));
}

function addressesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'baseUrl' && typeof inner === 'string' ? [inner] : addressesIn(inner),
  );
}
