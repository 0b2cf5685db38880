import { readlinkSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { expose } from 'comlink';
import { SHARED_WORDS } from '../contract/shared-memory.js';
import { fromWireError } from '../contract/wire/messages.js';
import type { TranspileAnswer, WorkerStart } from '../contract/worker-start.js';
import { Answers } from './answers.js';
import { assembleRuntime } from './assemble-runtime.js';
import { watchEnvironment } from './env-watch.js';
import { cachedCodeIn } from './loader/code-store.js';
import { PortEndpoint } from './port-endpoint.js';

const { words, answers: answerPort, beatMs, loadMs, cacheDir, fixed } = workerData as WorkerStart;
if (!parentPort) throw new Error('This file runs in a worker thread only');
const port: MessagePort = parentPort;
// Extensions can read `workerData`, and have no business with what is in it.
for (const key of Object.keys(workerData as object)) Reflect.deleteProperty(workerData as object, key);

// Beats by itself, so that a thread that runs is told from one that does not without a message. Unreferenced: it keeps nothing alive.
setInterval(() => Atomics.add(words, SHARED_WORDS.beat, 1), beatMs).unref();
Atomics.store(words, SHARED_WORDS.threadId, osThreadId());

const answers = new Answers({ words, port: answerPort });
const { core, control, receive } = assembleRuntime({
  words,
  answers,
  loadMs,
  fixed,
  packages: new URL('./packages/', import.meta.url),
  sendLines: (lines) => port.postMessage(lines),
  sendAsk: (message) => port.postMessage(message),
  code: {
    cachedCode: cachedCodeIn(cacheDir),
    requestTranspile: (path) => {
      const answer = answers.wait<TranspileAnswer>(`Transpiling ${path}`, (request) =>
        port.postMessage({ transpile: path, request }),
      );
      if ('error' in answer) throw fromWireError(answer.error);
      return answer.file;
    },
  },
});
watchEnvironment((name, value) => core.notify('env.set', [name, value]));

const endpoint = new PortEndpoint((message) => port.postMessage(message));
port.on('message', (message: unknown) => {
  if (typeof message === 'string') receive(message);
  else endpoint.deliver(message);
});
expose(control, endpoint);

/** `/proc/thread-self` is `<pid>/task/<tid>`; other systems have no such file, and there the id is unknown. */
function osThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    // Not Linux: the supervisor does without.
    return 0;
  }
}
