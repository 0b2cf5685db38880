import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { loadSdk } from './sdk.js';
import type { ServerConfig } from './server-config.js';

/** What a server may ask of us. */
export interface ClientDuties {
  elicit: (server: string, params: ElicitRequest['params'], signal: AbortSignal) => Promise<ElicitResult>;
  sample: (config: ServerConfig, params: CreateMessageRequest['params'], signal: AbortSignal) => Promise<CreateMessageResult>;
  log: (line: string) => void;
}

const QUIET = new Set(['debug', 'info', 'notice']);

/** A client that offers what this session can do: nothing more is asked of it. */
export function createClient(config: ServerConfig, cwd: string, duties: ClientDuties): Client {
  const sdk = loadSdk();
  const capabilities: ClientCapabilities = { roots: {}, elicitation: { form: {}, url: {} } };
  if (config.sampling !== 'never') capabilities.sampling = {};
  const client = new sdk.Client({ name: 'pi', version: '1.0.0' }, { capabilities });
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(cwd).href, name: path.basename(cwd) }],
  }));
  client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }, { signal }) => duties.elicit(config.name, params, signal));
  if (config.sampling !== 'never') {
    client.setRequestHandler(sdk.CreateMessageRequestSchema, ({ params }, { signal }) => duties.sample(config, params, signal));
  }
  client.setNotificationHandler(sdk.LoggingMessageNotificationSchema, ({ params: { level, data } }) => {
    if (!QUIET.has(level)) duties.log(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`);
  });
  return client;
}
