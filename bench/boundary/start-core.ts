import { createLogger } from '../../core/base/logger.js';
import { ExtensionHost } from '../../core/extension-host/host/extension-host.js';

/**
 * A stand-in for the start of the core: `WORK_MS` of CPU of its own, beside or before the start of an extension host, then an answer.
 * Arguments: mode (`none`, `parallel`, `serial`), the folder of the bundles, extension files.
 */
const WORK_MS = 60;
const [mode, folder = '', ...paths] = process.argv.slice(2);

function work(): void {
  const until = process.cpuUsage().user + process.cpuUsage().system + WORK_MS * 1_000;
  while (process.cpuUsage().user + process.cpuUsage().system < until);
}

if (mode === 'serial') work();
const host = new ExtensionHost({
  entry: `${folder}/host.js`,
  sources: { entries: () => [] },
  log: createLogger({ room: 'bench', level: 'error', write: (line) => process.stderr.write(line) }),
});
if (mode !== 'none') host.start();
if (mode !== 'serial') {
  // One turn for the pipes; the core has such turns too.
  await new Promise(setImmediate);
  work();
}
if (mode !== 'none') await host.load(paths.map((path, index) => ({ name: `extension-${index}`, path })));
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => host.stop());
