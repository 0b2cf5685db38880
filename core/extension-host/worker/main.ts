import { readlinkSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { expose } from 'comlink';
import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { LoadSettings, WorkerControl } from '../contract/lifecycle.js';
import { SHARED_WORDS } from '../contract/shared-memory.js';
import { coreForWorkerContract, workerContract } from '../contract/sides.js';
import { MAX_BODY_BYTES } from '../contract/wire/frames.js';
import { fromWireError } from '../contract/wire/messages.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import { setWorkerServices } from '../contract/worker-services.js';
import type { TranspileAnswer, WorkerStart } from '../contract/worker-start.js';
import { Answers } from './answers.js';
import { captureOutput } from './capture-output.js';
import { CorePort } from './core-port.js';
import { CurrentExtension } from './current-extension.js';
import { watchEnvironment } from './env-watch.js';
import { ExtensionRuntime } from './extension-runtime.js';
import { Leftovers } from './leftovers.js';
import { cachedCodeIn } from './loader/code-store.js';
import { ModuleLoader } from './loader/module-loader.js';
import { PortEndpoint } from './port-endpoint.js';
import { createWorkerServices } from './services.js';
import { StateReader } from './state-reader.js';
import { defaultTheme, virtualPackage, virtualPath } from './virtual-files.js';

const { words, answers: answerPort, beatMs, loadMs, cacheDir } = workerData as WorkerStart;
if (!parentPort) throw new Error('This file runs in a worker thread only');
const port: MessagePort = parentPort;
// Extensions can read `workerData`, and have no business with what is in it.
for (const key of Object.keys(workerData as object)) Reflect.deleteProperty(workerData as object, key);

// Beats by itself, so that a thread that runs is told from one that does not without a message. Unreferenced: it keeps nothing alive.
setInterval(() => Atomics.add(words, SHARED_WORDS.beat, 1), beatMs).unref();
Atomics.store(words, SHARED_WORDS.threadId, osThreadId());

const outbox = new Outbox((lines) => port.postMessage(lines));
const current = new CurrentExtension(words);
const answers = new Answers({ words, port: answerPort });
/** What this thread then waits for goes after all that was said before. */
const post = (message: object): void => {
  outbox.flush();
  port.postMessage(message);
};
const reader = new StateReader({ words, answers, ask: post });
/** Filled below, when there is a runtime; no message arrives before this file has run. */
const implementation = {} as ReturnType<ExtensionRuntime['implementation']>;
const peer: Peer<typeof workerContract, typeof coreForWorkerContract> = new Peer({
  local: workerContract,
  remote: coreForWorkerContract,
  implementation,
  send: (line) => {
    // The core would skip it unread, and whoever waits for it would wait for ever.
    if (isTooLong(line)) throw new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `A message of more than ${MAX_BODY_BYTES} bytes`);
    outbox.add(line);
  },
  onRefused: (error) => process.stderr.write(`extension worker: ${String(error)}\n`),
});
const core = new CorePort({ peer, answers, reader, post });
const modules = new ModuleLoader({
  cachedCode: cachedCodeIn(cacheDir),
  requestTranspile: (path) => {
    const answer = answers.wait<TranspileAnswer>(`Transpiling ${path}`, (request) => post({ transpile: path, request }));
    if ('error' in answer) throw fromWireError(answer.error);
    return answer.file;
  },
  virtual: virtualPackage,
  virtualPath,
});
const leftovers = new Leftovers(current);
const runtime = new ExtensionRuntime({ current, core, leftovers, modules, theme: defaultTheme, loadMs });
Object.assign(implementation, runtime.implementation());

let settings: LoadSettings | undefined;
setWorkerServices(
  createWorkerServices({
    core,
    current,
    settings: () => {
      if (!settings) throw new Error('No extension has been loaded yet');
      return settings;
    },
  }),
);
captureOutput(current, (extension, stream, text) => core.notify('logs.printed', [extension, stream, text]));
watchEnvironment((name, value) => core.notify('env.set', [name, value]));
process.on('uncaughtException', (error) => runtime.failed(current.get(), 'uncaught error', error));
process.on('unhandledRejection', (error) => runtime.failed(current.get(), 'unhandled rejection', error));
leftovers.install();

const endpoint = new PortEndpoint((message) => port.postMessage(message));
port.on('message', (message: unknown) => {
  if (typeof message === 'string') peer.receive(message);
  else endpoint.deliver(message);
});

const controlled: WorkerControl = {
  load: async (extension, given) => {
    settings = given;
    process.argv[1] = given.cliPath;
    const failure = await runtime.load(extension, given);
    // What was registered goes first, on the same port: the answer may not overtake it.
    outbox.flush();
    return failure;
  },
  unload: async () => {
    const usable = runtime.unload();
    outbox.flush();
    return usable;
  },
  stop: async () => {
    runtime.stop();
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
