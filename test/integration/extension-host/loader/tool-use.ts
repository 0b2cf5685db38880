// Transpiles files and prints which tools that took. On Linux: children are looked up in /proc.
//   node tool-use.mjs CACHE_FOLDER FILE…
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../../../core/base/logger.js';
import { Transpiler } from '../../../../core/extension-host/process/transpile/transpiler.js';

const [, , cacheDir = '', ...files] = process.argv;
const log = createLogger({ room: 'test', level: 'warn', write: (line) => process.stderr.write(line) });
const transpiler = new Transpiler({ cacheDir, log });
for (const path of files) await transpiler.transpile({ path });

const loaded = Object.keys(createRequire(import.meta.url).cache);
const isLoaded = (name: string): boolean => loaded.some((file) => file.includes(`/node_modules/${name}/`));
const hasChild = (): boolean => fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim() !== '';

const result = { sucrase: isLoaded('sucrase'), esbuild: isLoaded('esbuild'), child: hasChild(), childAfterIdle: true };
for (let tries = 0; tries < 200 && result.childAfterIdle; tries++) {
  result.childAfterIdle = hasChild();
  if (result.childAfterIdle) await sleep(50);
}
process.stdout.write(JSON.stringify(result));
await transpiler.dispose();
