import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { referencePi } from '../../support/reference-pi.js';

export const VERSION = '0.84.0';

export interface Examples {
  /** The existing program, as a command. */
  program: string[];
  /** Where its example extensions are: a copy outside any `node_modules`, with the packages they depend on. */
  folder: string;
  /** Files and folders in it that are extensions. */
  names: string[];
}

/** The existing program and its example extensions, fetched once; undefined when the package registry can't be reached. */
export function fetchExamples(): Examples | undefined {
  const program = referencePi(VERSION);
  if (!program) return undefined;
  const installed = path.join(path.dirname(program[1] ?? ''), '../examples/extensions');
  // <cache>/<version>/node_modules/<scope>/<package>/examples: the copy is beside <version>.
  const folder = `${path.resolve(installed, '../../../../..')}-examples`;
  if (!existsSync(folder) && !copyWithPackages(installed, folder)) return undefined;
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() ? existsSync(path.join(folder, entry.name, 'index.ts')) : /\.ts$/.test(entry.name)))
    .map(({ name }) => name)
    .sort();
  return { program, folder, names };
}

function copyWithPackages(from: string, to: string): boolean {
  const aside = `${to}.${process.pid}.tmp`;
  try {
    cpSync(from, aside, { recursive: true });
    for (const { name } of readdirSync(aside, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
      const cwd = path.join(aside, name);
      if (!hasDependencies(path.join(cwd, 'package.json'))) continue;
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
      execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    }
    renameSync(aside, to);
    return true;
  } catch {
    // No registry, or another run was first.
    return existsSync(to);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function hasDependencies(manifest: string): boolean {
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).dependencies !== undefined;
}
