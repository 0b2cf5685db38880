import type { Readable } from 'node:stream';
import { LineReader } from '../../base/jsonl.js';
import { validateUiResponse } from '../../protocol/validators.js';
import type { RecordOutput } from '../output/transport.js';
import { CommandDispatcher, type Handlers } from './dispatcher.js';
import { bashHandlers } from './handlers/bash.js';
import { extensionHandlers } from './handlers/extensions.js';
import { modelHandlers } from './handlers/model.js';
import { promptingHandlers } from './handlers/prompting.js';
import { sessionHandlers } from './handlers/session.js';
import { stateHandlers } from './handlers/state.js';
import type { RpcServices } from './services.js';

/** Longest accepted command: images arrive as base64, so it is generous; a reader without a limit would be a way to fill memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export function createHandlers(services: RpcServices, output: Pick<RecordOutput, 'queue' | 'send'>): Handlers {
  return {
    ...promptingHandlers(services),
    ...stateHandlers(services, output.queue),
    ...modelHandlers(services),
    ...bashHandlers(services, (event) => output.send(event)),
    ...sessionHandlers(services),
    ...extensionHandlers(services),
  };
}

export interface RpcServer {
  /** Resolves when stdin has ended; rejects when reading it fails. */
  inputEnded: Promise<void>;
  /** Resolves when every command read so far has its response. */
  answered(): Promise<void>;
}

/** Reads and dispatches commands from now on. What still runs when stdin ends is left to its owners. */
export function serveRpc(services: RpcServices, input: Readable, output: RecordOutput): RpcServer {
  const dispatcher = new CommandDispatcher({
    handlers: createHandlers(services, output),
    send: (response) => output.send(response),
    loading: () => (services.extensions.isReady ? undefined : services.extensions.ready),
    heard: () => services.extensions.heard(),
    intercept: (record) => {
      if (record.type !== 'extension_ui_response') return false;
      const answer = validateUiResponse(record);
      // One of another form answers no dialog; there is nothing to respond to. Source: FACTS, "ctx.ui".
      if (answer.ok) services.extensions.answerDialog(answer.params);
      return true;
    },
  });
  const reader = new LineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => dispatcher.dispatchLine(line),
    onTooLong: (bytes) => dispatcher.refuseTooLong(bytes, MAX_LINE_BYTES),
  });
  const inputEnded = new Promise<void>((resolve, reject) => {
    input.on('data', (chunk: Buffer) => reader.push(chunk));
    input.once('end', () => {
      reader.end();
      resolve();
    });
    input.once('error', reject);
  });
  return { inputEnded, answered: () => dispatcher.answered() };
}
