import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../base/coded-error.js';
import { expandHome, homeDir } from '../../resources/agent-dir.js';
import { bundledFolder } from '../../resources/bundled-folder.js';
import { BUILT_IN_TOOLS } from '../../tools/registry.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand } from '../subcommand-args.js';
import { VERSION } from '../version.js';
import { linkTools } from './link-tools.js';

/** Good as the name of a folder, a command, and an npm package. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME = 50;

/** Runs `pi ext new <name> [--dir <folder>] [--package]`. Gives the exit code. */
export async function runNewCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const at = args.indexOf('--dir');
  const dir = at < 0 ? undefined : args[at + 1];
  const others = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const parsed = parseSubcommand(others, { flags: { '--package': 'package' }, maxWords: 1 });
  if (parsed === 'help') {
    io.stdout(usage);
    return EXIT_CODES.ok;
  }
  const problem =
    'problem' in parsed ? parsed.problem : at >= 0 && dir === undefined ? '--dir needs a folder' : whyNoName(parsed.words[0]);
  if ('problem' in parsed || problem !== undefined) {
    io.stderr(`pi ext: ${problem}\n${usage}`);
    return EXIT_CODES.usage;
  }
  const name = parsed.words[0] ?? '';
  const folder = path.resolve(io.cwd, expandHome(dir ?? name, homeDir(io.env)));
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      io.stderr(`pi ext: ${folder} is there already and not empty: nothing was written\n`);
      return EXIT_CODES.failure;
    }
    const files = filesOf(name, parsed.flags.has('package'));
    mkdirSync(folder, { recursive: true });
    // Never over something that has come meanwhile.
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text, { flag: 'wx' });
    linkTools(folder);
    const shown = path.relative(io.cwd, folder) || '.';
    io.stdout(
      `${Object.keys(files)
        .map((file) => `${path.join(shown, file)}\n`)
        .join('')}\nNext: pi ext watch ${shown}\n`,
    );
    return EXIT_CODES.ok;
  } catch (error) {
    io.stderr(`pi ext: ${folder} can't be written: ${messageOf(error)}\n`);
    return EXIT_CODES.failure;
  }
}

function whyNoName(name: string | undefined): string | undefined {
  if (name === undefined) return 'new needs a name';
  if (!NAME.test(name) || name.length > MAX_NAME)
    return `"${name}" can't be a name: small letters, digits and single "-" between them are allowed, ${MAX_NAME} at most`;
  return BUILT_IN_TOOLS.includes(name) ? `"${name}" is a built-in tool: choose another name` : undefined;
}

/** Name -> text. */
function filesOf(name: string, isPackage: boolean): Record<string, string> {
  const template = path.join(bundledFolder(), 'templates', 'extension');
  const fill = (text: string): string => text.replaceAll('__name__', name).replaceAll('__tool__', toolName(name));
  const texts = readdirSync(template).map((file): [string, string] => [
    file,
    fill(readFileSync(path.join(template, file), 'utf8')),
  ]);
  return {
    ...Object.fromEntries(texts),
    'package.json': `${JSON.stringify(manifest(name, isPackage), null, 2)}\n`,
    '.gitignore': 'node_modules\n',
  };
}

const toolName = (name: string): string => `read_${name.replaceAll('-', '_')}`;

/** The dependencies are those of whoever works on it; users need none. */
function manifest(name: string, isPackage: boolean): object {
  const development = { devDependencies: { 'pi-platform': `^${VERSION}`, vitest: '^4.0.0' } };
  const pi = { extensions: ['./index.ts'], capabilities: ['ui', 'commands', 'tools', 'session:read', 'session:write'] };
  const common = { name, version: '0.1.0', description: 'An extension for pi', type: 'module' };
  if (!isPackage) return { ...common, private: true, pi, ...development };
  return {
    ...common,
    keywords: ['pi-package'],
    license: 'MIT',
    files: ['index.ts', 'README.md'],
    pi,
    peerDependencies: { '@earendil-works/pi-coding-agent': '*' },
    peerDependenciesMeta: { '@earendil-works/pi-coding-agent': { optional: true } },
    ...development,
  };
}
