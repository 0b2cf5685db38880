// Runs in a worker thread: a module loader as a worker of the extension host has it, told by messages what to do.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { cachedCodeIn } from '../../../../core/extension-host/worker/loader/code-store.js';
import { ModuleLoader } from '../../../../core/extension-host/worker/loader/module-loader.js';

export interface Start {
  cacheDir: string;
  /** Counted up with each answer to a transpile request. */
  answered: Int32Array;
  answers: MessagePort;
  /** Source of an ES module by the name of the package it stands for. */
  virtual: Record<string, string>;
  virtualFile: string;
}

export interface Request {
  id: number;
  do: 'load' | 'renew' | 'nativeChanged' | 'files' | 'preload';
  /** The file to load, the packages to preload. */
  names: string[];
}

export interface Failure {
  name: string;
  message: string;
  code?: string;
  stack: string;
}

const { cacheDir, answered, answers, virtual, virtualFile } = workerData as Start;
const port = parentPort as MessagePort;

const loader = new ModuleLoader({
  cachedCode: cachedCodeIn(cacheDir),
  requestTranspile: (path) => {
    const before = Atomics.load(answered, 0);
    port.postMessage({ transpile: path });
    Atomics.wait(answered, 0, before);
    const answer = receiveMessageOnPort(answers)?.message as { file: string } | { message: string; code: string };
    if ('file' in answer) return answer.file;
    throw Object.assign(new Error(answer.message), { code: answer.code });
  },
  virtual: (specifier) => {
    const source = virtual[specifier];
    return source === undefined
      ? undefined
      : () => import(`data:text/javascript,${encodeURIComponent(source)}`) as Promise<object>;
  },
  virtualPath: (specifier) => (specifier in virtual ? virtualFile : undefined),
});

/** The names of a module and what its default export gives: its result when it is a function. */
async function load(path: string): Promise<{ names: string[]; value: unknown }> {
  const namespace = await loader.load(path);
  const value = typeof namespace.default === 'function' ? await namespace.default() : namespace.default;
  return { names: Object.keys(namespace).sort(), value };
}

async function perform(request: Request): Promise<unknown> {
  switch (request.do) {
    case 'load':
      return load(request.names[0] ?? '');
    case 'renew':
      return loader.renew();
    case 'nativeChanged':
      return loader.nativeChanged();
    case 'files':
      return [...loader.files()].sort();
    case 'preload':
      return loader.preload(request.names);
  }
}

function toFailure(error: unknown): Failure {
  const { name, message, stack, code } = error as Error & { code?: string };
  return { name, message, stack: String(stack), ...(code !== undefined && { code }) };
}

port.on('message', (request: Request) => {
  perform(request).then(
    (result) => port.postMessage({ id: request.id, result }),
    (error: unknown) => port.postMessage({ id: request.id, failure: toFailure(error) }),
  );
});
