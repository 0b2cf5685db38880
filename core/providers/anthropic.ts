import type { ModelStream } from '../protocol/model-stream.js';
import { AnthropicDecoder } from './anthropic-decoder.js';
import { anthropicBody, anthropicHeaders } from './anthropic-request.js';
import { type Dialect, streamAnswer, type WireClient } from './stream-answer.js';

/** One client an address: keys and headers go with each request. */
const clients = new Map<string, Promise<WireClient>>();

async function createClient(address: string): Promise<WireClient> {
  const { WireAnthropic } = await import('./anthropic-sdk.js');
  return new WireAnthropic(address);
}

const dialect: Dialect = {
  path: '/v1/messages',
  client({ model: { baseUrl } }) {
    const address = baseUrl.replace(/\/+$/, '');
    const known = clients.get(address);
    if (known) return known;
    const made = createClient(address);
    clients.set(address, made);
    return made;
  },
  headers: anthropicHeaders,
  body: anthropicBody,
  decoder: (answer) => new AnthropicDecoder(answer),
};

/** `anthropic-messages`: the Messages API and what speaks like it. */
export const streamAnthropic: ModelStream = (request, emit) => streamAnswer(request, emit, dialect);
