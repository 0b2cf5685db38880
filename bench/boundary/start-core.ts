import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TestHost } from '../../test/integration/extension-host/support.js';

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
const host = new TestHost({
  entry: `${folder}/host.js`,
  extensions: Object.fromEntries(paths.map((file) => [path.parse(file).name, readFileSync(file, 'utf8')])),
});
if (mode !== 'none') host.extensions.start();
if (mode !== 'serial') {
  // One turn for the pipes; the core has such turns too.
  await new Promise(setImmediate);
  work();
}
if (mode !== 'none') await host.load();
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => void host.dispose());
