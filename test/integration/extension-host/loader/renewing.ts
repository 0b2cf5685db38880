// Loads one extension 200 times with a reload in between, and prints how many objects of which load are left at the end.
//   node --expose-gc renewing.mjs EXTENSION CACHE_FOLDER

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createLogger } from '../../../../core/base/logger.js';
import { Transpiler } from '../../../../core/extension-host/process/transpile/transpiler.js';
import { cachedCodeIn } from '../../../../core/extension-host/worker/loader/code-store.js';
import { ModuleLoader } from '../../../../core/extension-host/worker/loader/module-loader.js';

const TIMES = 200;
const [, , extension = '', cacheDir = ''] = process.argv;

// The cache is filled first: then nobody has to wait for a transpiler.
const transpiler = new Transpiler({
  cacheDir,
  log: createLogger({ room: 'test', level: 'error', write: (line) => process.stderr.write(line) }),
});
const folder = path.dirname(extension);
const names = readdirSync(folder).filter((name) => path.extname(name) !== '' && !name.endsWith('.json'));
await transpiler.prepare(names.map((name) => path.join(folder, name)));
await transpiler.dispose();

const loader = new ModuleLoader({
  cachedCode: cachedCodeIn(cacheDir),
  requestTranspile: (file) => {
    throw new Error(`${file} is not in the cache`);
  },
  virtual: (specifier) => (specifier === 'typebox' ? () => Promise.resolve({ Type: {} }) : undefined),
});

let turn = 0;
const watched: { turn: number; ref: WeakRef<object> }[] = [];
Object.assign(globalThis, {
  watch: { add: (objects: object[]) => watched.push(...objects.map((object) => ({ turn, ref: new WeakRef(object) }))) },
});

async function load(): Promise<void> {
  const { default: run } = await loader.load(extension);
  await (run as () => Promise<string>)();
}

async function collect(): Promise<number> {
  for (let times = 0; times < 5; times++) {
    // A WeakRef keeps its object until the end of the turn.
    await new Promise(setImmediate);
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

await load();
const first = watched.length;
const heapBefore = await collect();
for (turn = 1; turn < TIMES; turn++) {
  loader.renew();
  await load();
}
const heapGrowthMb = ((await collect()) - heapBefore) / 1e6;
const left = [...new Set(watched.filter(({ ref }) => ref.deref() !== undefined).map((object) => object.turn))];
process.stdout.write(JSON.stringify({ first, left, heapGrowthMb }));
