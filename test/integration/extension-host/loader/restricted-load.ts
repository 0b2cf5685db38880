// Loads one extension whose code is in the cache, in a process that may read little else, and prints what its default function gives.
//   node --permission --allow-fs-read=… restricted-load.mjs EXTENSION CACHE_FOLDER
import { cachedCodeIn } from '../../../../core/extension-host/worker/loader/code-store.js';
import { ModuleLoader } from '../../../../core/extension-host/worker/loader/module-loader.js';

const [, , extension = '', cacheDir = ''] = process.argv;
const loader = new ModuleLoader({
  cachedCode: cachedCodeIn(cacheDir),
  requestTranspile: (file) => {
    throw new Error(`${file} is not in the cache`);
  },
  virtual: () => undefined,
});
const { default: run } = await loader.load(extension);
const value = await (run as () => Promise<unknown>)();
process.stdout.write(JSON.stringify({ value, changed: loader.nativeChanged() }));
