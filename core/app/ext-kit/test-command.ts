import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { runUntilSignal } from '../packages/run-until-signal.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand } from '../subcommand-args.js';
import { findExtension } from './check-command.js';
import { runTests, testPlace } from './run-tests.js';

/** Runs `pi ext test [path] [-- arguments of vitest]`. Gives the exit code. */
export async function runTestCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const end = args.indexOf('--');
  const parsed = parseSubcommand(end < 0 ? args : args.slice(0, end), { flags: {}, maxWords: 1 });
  if (parsed === 'help') {
    io.stdout(usage);
    return EXIT_CODES.ok;
  }
  if ('problem' in parsed) {
    io.stderr(`pi ext: ${parsed.problem}\n${usage}`);
    return EXIT_CODES.usage;
  }
  const target = findExtension(parsed.words[0] ?? '.', io);
  if (target === undefined) {
    io.stderr(`pi ext: there is no ${parsed.words[0]}\n`);
    return EXIT_CODES.usage;
  }
  return runUntilSignal(async (signal) => {
    const done = await runTests(testPlace(target), end < 0 ? [] : args.slice(end + 1), { env: io.env, signal });
    if ('code' in done) return done.code === 0 ? EXIT_CODES.ok : EXIT_CODES.failure;
    io.stderr(`pi ext: ${done.problem}\n`);
    return EXIT_CODES.failure;
  });
}
