import { readlinkSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { expose } from 'comlink';
import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { WorkerControl } from '../contract/lifecycle.js';
import { SHARED_WORDS } from '../contract/shared-memory.js';
import { coreForWorkerContract, workerContract } from '../contract/sides.js';
import { MAX_BODY_BYTES } from '../contract/wire/frames.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import type { WorkerStart } from '../contract/worker-start.js';
import { captureOutput } from './capture-output.js';
import { CurrentExtension } from './current-extension.js';
import { createExtensionContext } from './extension-api.js';
import { ExtensionRuntime } from './extension-runtime.js';
import { PortEndpoint } from './port-endpoint.js';
import { appendJsonLines, StateReader } from './state-reader.js';

const { words, answers, beatMs, loadMs } = workerData as WorkerStart;
if (!parentPort) throw new Error('This file runs in a worker thread only');
const port: MessagePort = parentPort;
// Extensions can read `workerData`, and have no business with what is in it.
for (const key of Object.keys(workerData as object)) Reflect.deleteProperty(workerData as object, key);

// Beats by itself, so that a thread that runs is told from one that does not without a message. Unreferenced: it keeps nothing alive.
setInterval(() => Atomics.add(words, SHARED_WORDS.beat, 1), beatMs).unref();
Atomics.store(words, SHARED_WORDS.threadId, osThreadId());

const outbox = new Outbox((lines) => port.postMessage(lines));
const current = new CurrentExtension(words);
const reader = new StateReader({
  words,
  answers,
  ask: (question) => {
    outbox.flush();
    port.postMessage(question);
  },
});
const context = createExtensionContext(reader.topic<unknown[]>('entries', [], appendJsonLines));
const runtime = new ExtensionRuntime(current, context, loadMs);
const core = new Peer({
  local: workerContract,
  remote: coreForWorkerContract,
  implementation: runtime.implementation(),
  send: (line) => {
    // The core would skip it unread, and whoever waits for it would wait for ever.
    if (isTooLong(line)) throw new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `A message of more than ${MAX_BODY_BYTES} bytes`);
    outbox.add(line);
  },
  onRefused: (error) => process.stderr.write(`extension worker: ${String(error)}\n`),
});
runtime.connect(core);
captureOutput(current, (extension, stream, text) => core.notify('logs.printed', [extension, stream, text]));
const endpoint = new PortEndpoint((message) => port.postMessage(message));
port.on('message', (message: unknown) => {
  if (typeof message === 'string') core.receive(message);
  else endpoint.deliver(message);
});

const controlled: WorkerControl = {
  load: async (extension) => {
    const failure = await runtime.load(extension);
    // What was registered goes first, on the same port: the answer may not overtake it.
    outbox.flush();
    return failure;
  },
  stop: async () => {
    await runtime.stop();
    outbox.flush();
  },
};
expose(controlled, endpoint);

/** A character is three bytes at most: only long lines are measured. */
function isTooLong(line: string): boolean {
  return line.length > MAX_BODY_BYTES / 3 && Buffer.byteLength(line) > MAX_BODY_BYTES;
}

/** `/proc/thread-self` is `<pid>/task/<tid>`; other systems have no such file, and there the id is unknown. */
function osThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    // Not Linux: the supervisor does without.
    return 0;
  }
}
