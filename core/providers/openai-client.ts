import type { ModelRequest } from '../protocol/model-stream.js';
import { wireFetch } from './http.js';
import type { RegistryModel } from './registry-types.js';
import type { WireClient, WireHeaders } from './stream-answer.js';

/** One client an address: keys and headers go with each request. */
const clients = new Map<string, Promise<WireClient>>();

async function createClient(baseURL: string): Promise<WireClient> {
  const { OpenAI } = await import('openai/client');
  // OpenAI's own variables name an account of OpenAI: they are no business of other services.
  const account = new URL(baseURL).hostname === 'api.openai.com' ? {} : { organization: null, project: null };
  return new OpenAI({
    baseURL,
    // What is sent is in the headers.
    apiKey: 'in-headers',
    ...account,
    maxRetries: 0,
    logLevel: 'off',
    fetch: wireFetch,
  });
}

export function openaiClient({ model: { baseUrl } }: ModelRequest): Promise<WireClient> {
  const address = baseUrl.replace(/\/+$/, '');
  const known = clients.get(address);
  if (known) return known;
  const made = createClient(address);
  clients.set(address, made);
  // An address that is no URL fails each time by itself.
  made.catch(() => clients.delete(address));
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
