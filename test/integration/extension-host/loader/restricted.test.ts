import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '../../../../core/base/logger.js';
import { Transpiler } from '../../../../core/extension-host/process/transpile/transpiler.js';
import { bundleFile, temporaryFolder, writeFiles } from './support.js';

/** Node 20 and 22 know it by its first name. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';

it('an extension is loaded by a process that may read its folder and the cache only, and misses what is elsewhere', async () => {
  const folder = temporaryFolder();
  const home = path.join(folder, 'extensions/mine');
  const cacheDir = path.join(folder, 'cache');
  writeFiles(home, {
    'ext.ts':
      "import { helper } from './lib/helper'; import dep from 'dep'; import esm from 'esm'; import data from './data.json'; export default async () => { let code = ''; try { await import('elsewhere'); } catch (error: any) { code = error.code; } return [helper, dep, esm, data.n, code]; };",
    'lib/helper.ts': 'export const helper: number = 1;',
    'data.json': { n: 2 },
    'node_modules/dep/package.json': { name: 'dep' },
    'node_modules/dep/index.js': "module.exports = 'dep';",
    'node_modules/esm/package.json': { name: 'esm', type: 'module', exports: './index.js' },
    'node_modules/esm/index.js': "export default 'esm';",
  });
  writeFiles(folder, { 'node_modules/elsewhere/index.js': '' });
  const transpiler = new Transpiler({ cacheDir, log: createLogger({ room: 'test', level: 'error', write: () => undefined }) });
  await transpiler.prepare(['ext.ts', 'lib/helper.ts'].map((name) => path.join(home, name)));
  await transpiler.dispose();

  const program = await bundleFile('restricted-load.ts');
  const readable = [`${home}/`, `${cacheDir}/`, `${path.dirname(program)}/`].map((allowed) => `--allow-fs-read=${allowed}*`);
  const args = [PERMISSION, ...readable, '--no-warnings', program, path.join(home, 'ext.ts'), cacheDir];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ value: [1, 'dep', 'esm', 2, 'ERR_MODULE_NOT_FOUND'], changed: false });
});
