import type { Readable } from 'node:stream';
import { LineReader } from '../../base/jsonl.js';
import type { RecordOutput } from '../output/transport.js';
import { CommandDispatcher, type Handlers } from './dispatcher.js';
import { bashHandlers } from './handlers/bash.js';
import { modelHandlers } from './handlers/model.js';
import { promptingHandlers } from './handlers/prompting.js';
import { sessionHandlers } from './handlers/session.js';
import { stateHandlers } from './handlers/state.js';
import type { RpcServices } from './services.js';

/** Longest accepted command: images arrive as base64, so it is generous; a reader without a limit would be a way to fill memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export function createHandlers(services: RpcServices, output: RecordOutput): Handlers {
  return {
    ...promptingHandlers(services),
    ...stateHandlers(services, output.queue),
    ...modelHandlers(services),
    ...bashHandlers(services, (event) => output.send(event)),
    ...sessionHandlers(services),
  };
}

/** Reads commands until stdin ends; resolves then, with whatever was still running left to its owners. */
export function serveRpc(services: RpcServices, input: Readable, output: RecordOutput): Promise<void> {
  const dispatcher = new CommandDispatcher({
    handlers: createHandlers(services, output),
    send: (response) => output.send(response),
    intercept: (record) => record.type === 'extension_ui_response',
  });
  const reader = new LineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => dispatcher.dispatchLine(line),
    onTooLong: (bytes) => dispatcher.refuseTooLong(bytes, MAX_LINE_BYTES),
  });
  return new Promise((resolve, reject) => {
    input.on('data', (chunk: Buffer) => reader.push(chunk));
    input.once('end', () => {
      reader.end();
      resolve();
    });
    input.once('error', reject);
  });
}
