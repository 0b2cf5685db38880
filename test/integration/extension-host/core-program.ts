import { createLogger } from '../../../core/base/logger.js';
import { ExtensionHost } from '../../../core/extension-host/host/extension-host.js';

/**
 * The smallest program around an extension host, to be looked at from outside: arguments are the host's bundle and extension files. It
 * says its host's process id, waits for the end of stdin, and says goodbye. stdout is its own.
 */
const [entry = '', ...paths] = process.argv.slice(2);
const say = (record: object): void => void process.stdout.write(`${JSON.stringify(record)}\n`);
const host = new ExtensionHost({
  entry,
  sources: { entries: () => [] },
  log: createLogger({ room: 'extension-host', level: 'warn', write: (line) => process.stderr.write(line) }),
});
await host.load(paths.map((path, index) => ({ name: `extension-${index}`, path })));
say({ hostPid: host.pid });
process.stdin.resume().on('end', async () => {
  await host.stop();
  say({ stopped: true });
});
