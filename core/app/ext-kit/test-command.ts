import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { runUntilSignal } from '../packages/run-until-signal.js';
import { EXIT_CODES } from '../process-end.js';
import { extensionTarget } from './extension-target.js';
import { runTests, testPlace } from './run-tests.js';

/** Runs `pi ext test [path] [-- arguments of vitest]`. Gives the exit code. */
export async function runTestCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const end = args.indexOf('--');
  const asked = extensionTarget(end < 0 ? args : args.slice(0, end), io, { otherwise: '.', usage });
  if ('code' in asked) return asked.code;
  return runUntilSignal(async (signal) => {
    const done = await runTests(testPlace(asked.target), end < 0 ? [] : args.slice(end + 1), { env: io.env, signal });
    if ('code' in done) return done.code === 0 ? EXIT_CODES.ok : EXIT_CODES.failure;
    io.stderr(`pi ext: ${done.problem}\n`);
    return EXIT_CODES.failure;
  });
}
