import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Metafile {
  inputs: Record<string, unknown>;
  outputs: Record<string, { entryPoint?: string; inputs: Record<string, unknown>; imports: { path: string; kind: string }[] }>;
}

let folder: string;
let meta: Metafile;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-bundle-'));
  const file = path.join(folder, 'meta.json');
  execFileSync(process.execPath, ['scripts/build.mjs', '--outdir', path.join(folder, 'dist'), '--meta', file], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  meta = JSON.parse(fs.readFileSync(file, 'utf8'));
}, 60_000);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const packageOf = (input: string): string | undefined => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];

/** Packages in the chunks that are loaded at start, before anything is asked for. */
function loadedAtStart(entry: string): string[] {
  const first = Object.keys(meta.outputs).find((name) => meta.outputs[name]?.entryPoint === entry);
  if (!first) throw new Error(`${entry} is no entry point of the build`);
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const found of meta.outputs[name]?.imports ?? []) if (found.kind === 'import-statement') visit(found.path);
  };
  visit(first);
  const inputs = [...seen].flatMap((name) => Object.keys(meta.outputs[name]?.inputs ?? {}));
  return [...new Set(inputs.flatMap((input) => packageOf(input) ?? []))].sort();
}

/** Packages that a file of JavaScript names in imports, static and at run time. */
function importedPackages(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(fs.readFileSync(file, 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => fileName).filter((name) => !/^(?:\.|\/|node:)/.test(name) && !isBuiltin(name));
}

describe('the bundle', () => {
  it('has no zod: what the program checks is compiled beforehand', () => {
    expect(Object.keys(meta.inputs).filter((input) => packageOf(input) === 'zod')).toEqual([]);
  });

  it('of the extension host has no import of a package that is not installed with the program', () => {
    const host = path.join(folder, 'host');
    execFileSync(process.execPath, ['scripts/bundle-extension-host.mjs', host], { cwd: ROOT, stdio: 'ignore' });
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const code = ['host.js', 'transpile.js', 'sucrase.js', 'worker.js', 'restricted.js'].map((name) => path.join(host, name));
    expect([...new Set(code.flatMap(importedPackages))].filter((name) => !(name in dependencies))).toEqual([]);
  });

  it('has loaded no package when it has answered the first command', () => {
    const coverage = path.join(folder, 'coverage');
    execFileSync(process.execPath, [path.join(folder, 'dist/cli.js'), '--mode', 'rpc', '--no-session'], {
      env: { PATH: process.env.PATH, HOME: folder, NODE_V8_COVERAGE: coverage },
      input: '{"type":"get_state"}\n',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const scripts = fs
      .readdirSync(coverage)
      .flatMap((file) => JSON.parse(fs.readFileSync(path.join(coverage, file), 'utf8')).result as { url: string }[]);
    const loaded = scripts.flatMap(({ url }) => /\/dist\/(.+\.js)$/.exec(url)?.[1] ?? []);
    expect(loaded.length).toBeGreaterThan(2);
    const inputs = Object.entries(meta.outputs).flatMap(([name, { inputs }]) =>
      loaded.some((file) => name.endsWith(`/dist/${file}`)) ? Object.keys(inputs) : [],
    );
    expect([...new Set(inputs.flatMap((input) => packageOf(input) ?? []))]).toEqual([]);
  });

  it('loads no package at start', () => {
    expect(loadedAtStart('core/cli.ts')).toEqual([]);
  });
});
