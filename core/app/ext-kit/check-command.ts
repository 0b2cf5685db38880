import { realpathSync } from 'node:fs';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { EXIT_CODES } from '../process-end.js';
import { checkExtension } from './check-extension.js';
import { checkText } from './check-text.js';
import { extensionTarget } from './extension-target.js';

/** Runs `pi ext check <path> [--json]`. Gives the exit code. */
export async function runCheckCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const asked = extensionTarget(args, io, { flags: { '--json': 'json' }, usage });
  if ('code' in asked) return asked.code;
  const report = await checkExtension(asked.target, io);
  io.stdout(asked.flags.has('json') ? `${JSON.stringify(report, null, 2)}\n` : checkText(report, realpathSync(io.cwd)));
  return report.ok ? EXIT_CODES.ok : EXIT_CODES.failure;
}
