import { createLogger } from '../../base/logger.js';
import type { HostStart } from '../contract/settings.js';
import { CoreLink } from './core-link.js';
import { Supervisor } from './supervisor.js';
import { Transpiler } from './transpile/transpiler.js';

const FIRST_WORKER = 1;
const { settings, cacheDir, isShared, prepare } = JSON.parse(process.argv[2] ?? '{}') as HostStart;

/**
 * The whole group, so that what extensions left running goes too. SIGKILL rather than `process.exit`, which waits for threads that may
 * be stuck in a system call.
 */
function end(code: number): never {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // Not the leader of a group (started by hand).
    process.exit(code);
  }
  process.exit(code);
}

const link = new CoreLink({
  onFrame: (frame) => supervisor.receive(frame),
  onIdle: () => supervisor.relay(),
  // Nobody is left to work for. The reason interests nobody who could read it.
  onClosed: () => end(0),
});
const log = createLogger({ room: 'extension-host', level: 'warn', write: (line) => void process.stderr.write(line) });
const transpiler = new Transpiler({ cacheDir, log });
const supervisor = new Supervisor(link, {
  workerEntry: new URL('./worker.js', import.meta.url),
  settings,
  transpiler,
  end,
});
// At once: the thread starts while this one reads its first frames.
const worker = supervisor.startWorker(FIRST_WORKER, isShared);
void transpiler.prepare(prepare);
void worker.online.then(() => supervisor.ready(worker.id));
