import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expandHome, homeDir } from '../../resources/agent-dir.js';
import { bundledFolder } from '../../resources/bundled-folder.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand } from '../subcommand-args.js';
import { checkExtension } from './check-extension.js';
import { checkText } from './check-text.js';

/** Runs `pi ext check <path> [--json]`. Gives the exit code. */
export async function runCheckCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const parsed = parseSubcommand(args, { flags: { '--json': 'json' }, maxWords: 1 });
  if (parsed === 'help') {
    io.stdout(usage);
    return EXIT_CODES.ok;
  }
  const problem = 'problem' in parsed ? parsed.problem : parsed.words.length === 0 ? 'check needs an extension' : undefined;
  if ('problem' in parsed || problem !== undefined) {
    io.stderr(`pi ext: ${problem}\n${usage}`);
    return EXIT_CODES.usage;
  }
  const target = findExtension(parsed.words[0] ?? '', io);
  if (target === undefined) {
    io.stderr(`pi ext: there is no ${parsed.words[0]}\n`);
    return EXIT_CODES.usage;
  }
  const report = await checkExtension(target, io);
  io.stdout(parsed.flags.has('json') ? `${JSON.stringify(report, null, 2)}\n` : checkText(report, realpathSync(io.cwd)));
  return report.ok ? EXIT_CODES.ok : EXIT_CODES.failure;
}

/** The real path of what is meant, also of `builtin:name`; undefined when nothing is there. */
export function findExtension(given: string, { cwd, env }: Pick<ExtCommandIo, 'cwd' | 'env'>): string | undefined {
  const bundled = /^builtin:([\w-]+)$/.exec(given)?.[1];
  const file =
    bundled === undefined
      ? path.resolve(cwd, expandHome(given, homeDir(env)))
      : path.join(bundledFolder(), 'extensions', bundled);
  return existsSync(file) ? realpathSync(file) : undefined;
}
