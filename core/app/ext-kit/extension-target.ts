import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expandHome, homeDir } from '../../resources/agent-dir.js';
import { bundledFolder } from '../../resources/bundled-folder.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand } from '../subcommand-args.js';

export interface TargetRules {
  /** Options that stand alone, as `--json`, with the name of each. */
  flags?: Readonly<Record<string, string>>;
  /** What is meant when nothing is named. */
  otherwise?: string;
  usage: string;
}

/** The extension that a command is about, as a real path; or the exit code, when the call was answered or was wrong. */
export function extensionTarget(
  args: readonly string[],
  io: ExtCommandIo,
  { flags = {}, otherwise, usage }: TargetRules,
): { target: string; flags: ReadonlySet<string> } | { code: number } {
  const parsed = parseSubcommand(args, { flags, maxWords: 1 });
  if (parsed === 'help') {
    io.stdout(usage);
    return { code: EXIT_CODES.ok };
  }
  const given = 'problem' in parsed ? undefined : (parsed.words[0] ?? otherwise);
  if ('problem' in parsed || given === undefined) {
    io.stderr(`pi ext: ${'problem' in parsed ? parsed.problem : 'name an extension'}\n${usage}`);
    return { code: EXIT_CODES.usage };
  }
  const target = findExtension(given, io);
  if (target !== undefined) return { target, flags: parsed.flags };
  io.stderr(`pi ext: there is no ${given}\n`);
  return { code: EXIT_CODES.usage };
}

/** The real path of what is meant, also of `builtin:name`; undefined when nothing is there. */
function findExtension(given: string, { cwd, env }: ExtCommandIo): string | undefined {
  const bundled = /^builtin:([\w-]+)$/.exec(given)?.[1];
  const file =
    bundled === undefined
      ? path.resolve(cwd, expandHome(given, homeDir(env)))
      : path.join(bundledFolder(), 'extensions', bundled);
  return existsSync(file) ? realpathSync(file) : undefined;
}
