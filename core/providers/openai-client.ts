import type { ModelRequest } from '../protocol/model-stream.js';
import type { RegistryModel } from './registry-types.js';
import type { WireClient, WireHeaders } from './stream-answer.js';

/** One client an address: keys and headers go with each request. */
const clients = new Map<string, Promise<WireClient>>();

async function createClient(address: string): Promise<WireClient> {
  const { WireOpenAI } = await import('./openai-sdk.js');
  return new WireOpenAI(address);
}

export function openaiClient({ model: { baseUrl } }: ModelRequest): Promise<WireClient> {
  const address = baseUrl.replace(/\/+$/, '');
  const known = clients.get(address);
  if (known) return known;
  const made = createClient(address);
  clients.set(address, made);
  return made;
}

/** The key, the headers of affinity, and what the model and the hooks add, the last word being theirs. */
export function openaiHeaders({ options }: ModelRequest, affinity: Readonly<Record<string, string>>): WireHeaders {
  const headers: WireHeaders = {
    authorization: options.apiKey === undefined ? null : `Bearer ${options.apiKey}`,
    ...affinity,
  };
  for (const [name, value] of Object.entries(options.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

/** Sent as they are, after everything else. Source: models document, "Sampling Parameters". */
export function samplingParams({ model }: ModelRequest): Record<string, unknown> {
  return (model as RegistryModel).samplingParams ?? {}; // absent from models that do not come from the registry
}
