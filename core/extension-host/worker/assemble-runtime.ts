import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { LoadSettings, WorkerControl } from '../contract/lifecycle.js';
import { coreForWorkerContract, workerContract } from '../contract/sides.js';
import type { StateTopic } from '../contract/state.js';
import { MAX_BODY_BYTES } from '../contract/wire/frames.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import { setWorkerServices } from '../contract/worker-services.js';
import type { AnswerSource } from './answers.js';
import { captureOutput } from './capture-output.js';
import { CorePort } from './core-port.js';
import { CurrentExtension } from './current-extension.js';
import { ExtensionRuntime } from './extension-runtime.js';
import { fixIntrinsics, NOTHING_FIXED } from './fixed-intrinsics.js';
import { Leftovers } from './leftovers.js';
import type { CodeSource } from './loader/code-store.js';
import { ModuleLoader } from './loader/module-loader.js';
import { createWorkerServices } from './services.js';
import { StateReader } from './state-reader.js';
import { VirtualFiles } from './virtual-files.js';

/** How this thread reaches the core: a port to the supervisor, or pipes. */
export interface RuntimeChannel {
  words: Int32Array<SharedArrayBuffer>;
  answers: AnswerSource;
  sendLines: (lines: string) => void;
  /** A question or a call for whose answer this thread then waits. */
  sendAsk: (message: object) => void;
  code: CodeSource;
  /** Folder of the packages that come with the program. */
  packages: URL;
  loadMs: number;
  /** Extensions share this thread. */
  fixed?: boolean;
  /** Told of each call of the core, and of each state that is read. */
  onCall?: (member: string, args: readonly unknown[]) => void;
  onRead?: (topic: StateTopic) => void;
}

export interface AssembledRuntime {
  core: CorePort;
  current: CurrentExtension;
  /** Takes what the core says. */
  receive: (lines: string) => void;
  /** What the supervisor, or the process itself, does with extensions. */
  control: WorkerControl;
}

/** Puts together all that extension code runs in, on whatever channel. Once in a thread: it changes globals. */
export function assembleRuntime({
  words,
  answers,
  sendLines,
  sendAsk,
  code,
  packages,
  loadMs,
  fixed = false,
  onCall,
  onRead,
}: RuntimeChannel): AssembledRuntime {
  const outbox = new Outbox(sendLines);
  const current = new CurrentExtension(words);
  /** What this thread then waits for goes after all that was said before. */
  const ask = (message: object): void => {
    if ('read' in message) onRead?.(message.read as StateTopic);
    outbox.flush();
    sendAsk(message);
  };
  /** Filled below, when there is a runtime; no message arrives before this function is done. */
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
  const core = new CorePort({ peer, answers, reader: new StateReader({ words, answers, ask }), post: ask, onCall });
  const leftovers = new Leftovers(current);
  leftovers.install();
  // All that is ours to replace is replaced; what follows is `process.env` and streams, which stay as they are on purpose.
  const intrinsics = fixed ? fixIntrinsics() : NOTHING_FIXED;
  const files = new VirtualFiles(packages);
  const modules = new ModuleLoader({
    ...code,
    virtual: (specifier) => files.load(specifier),
    virtualPath: (specifier) => files.path(specifier),
  });
  const runtime = new ExtensionRuntime({
    current,
    core,
    leftovers,
    modules,
    theme: () => files.theme(),
    loadPiAi: () => files.piAi(),
    loadMs,
    intrinsics,
  });
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
  process.on('uncaughtException', (error) => runtime.failed(current.get(), 'uncaught error', error));
  process.on('unhandledRejection', (error) => runtime.failed(current.get(), 'unhandled rejection', error));
  current.onSwitch = () => {
    const changed = intrinsics.restore();
    if (changed.length > 0) runtime.failed(undefined, 'intrinsics', `Somebody changed ${changed.join(', ')}; it was put back`);
  };

  return {
    core,
    current,
    receive: (lines) => peer.receive(lines),
    control: {
      load: async (extension, given) => {
        settings = given;
        process.argv[1] = given.cliPath;
        const failure = await runtime.load(extension, given);
        // What was registered goes first, on the same way: the answer may not overtake it.
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
    },
  };
}

/** A character is three bytes at most: only long lines are measured. */
function isTooLong(line: string): boolean {
  return line.length > MAX_BODY_BYTES / 3 && Buffer.byteLength(line) > MAX_BODY_BYTES;
}
