import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

// Libraries that are loaded at first use look different inside a bundle: a named export of a CommonJS module is not there.
const PROGRAM = `
import { prepareArguments } from './arguments.js';
import { createBuiltInTools } from './registry.js';
import { ShellRunner } from './shell.js';
const cwd = process.argv[2];
const shell = new ShellRunner({ cwd, env: process.env });
const tools = createBuiltInTools({ cwd, env: process.env, tmpDir: cwd, shell, sessionEnv: () => ({}) });
const call = async (name, args) => {
  const tool = tools.find((one) => one.name === name);
  const prepared = await prepareArguments(tool, args);
  if (!prepared.ok) return prepared.error.split('\\n')[1];
  const result = await tool.execute(prepared.args, { toolCallId: 'x', signal: new AbortController().signal, onUpdate() {} });
  return result.details?.diff ?? result.content[0].text;
};
console.log(JSON.stringify([
  await call('read', {}),
  (await prepareArguments({ name: 't', parameters: { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] } } } }, { a: [1] })).ok,
  await call('edit', { path: 'f.txt', edits: [{ oldText: 'a', newText: 'b' }] }),
  await call('find', { pattern: '*.{txt,md}' }),
  await call('grep', { pattern: '^b' }),
  await call('ls', {}),
  await call('bash', { command: 'echo ran' }),
]));
`;

const folder = mkdtempSync(join(tmpdir(), 'pi-bundled-'));
const bundle = join(folder, 'out');

beforeAll(async () => {
  await build({
    stdin: { contents: PROGRAM, resolveDir: resolve(import.meta.dirname, '../../../core/tools'), loader: 'ts' },
    outdir: bundle,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the tools work from a bundle as they do from source', () => {
  const cwd = mkdtempSync(join(folder, 'work-'));
  writeFileSync(join(cwd, 'f.txt'), 'a\n');
  writeFileSync(join(cwd, '.gitignore'), '*.md\n');
  writeFileSync(join(cwd, 'x.md'), 'b\n');
  const output = execFileSync(process.execPath, [join(bundle, 'stdin.mjs'), cwd], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([
    '  - path: is required',
    false,
    '-1 a\n+1 b',
    'f.txt',
    'f.txt:1: b',
    '.gitignore\nf.txt\n\n[Ignored by git and not listed: x.md]',
    'ran\n',
  ]);
});
