import { realpathSync, statSync } from 'node:fs';
import { isCoded, messageOf } from '../../base/coded-error.js';
import { BASE_ERRORS } from '../../base/errors.js';
import { writeStdout } from '../../modes/print/transport.js';
import { extensionsIn, filesOfPackage } from '../../resources/packages/package-contents.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { runUntilSignal } from '../packages/run-until-signal.js';
import { EXIT_CODES } from '../process-end.js';
import { checkExtension } from './check-extension.js';
import { checkText } from './check-text.js';
import { extensionTarget } from './extension-target.js';
import { runTests, type TestPlace, testPlace } from './run-tests.js';
import { nextChange, readSources, type Sources } from './source-watch.js';

/**
 * Runs `pi ext watch <path>`: checks the extension and runs its tests now, and again whenever one of its files is another, until stdin ends or
 * a signal comes. Gives the exit code.
 */
export async function runWatchCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const asked = extensionTarget(args, io, { otherwise: '.', usage });
  if ('code' in asked) return asked.code;
  const { target } = asked;
  return runUntilSignal(async (signal) => {
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    const end = (): void => ended.abort();
    // A terminal that goes, Ctrl+D, or whoever started this closing the pipe.
    process.stdin.once('end', end).once('error', end).once('close', end).resume();
    try {
      await watchOn(target, io, over);
      return EXIT_CODES.ok;
    } catch (error) {
      if (isCoded(error, BASE_ERRORS.ABORTED)) return EXIT_CODES.ok;
      io.stderr(`pi ext: ${target} can't be watched: ${messageOf(error)}\n`);
      return EXIT_CODES.failure;
    } finally {
      process.stdin.pause();
    }
  });
}

async function watchOn(target: string, io: ExtCommandIo, over: AbortSignal): Promise<never> {
  const place = testPlace(target);
  const read = async (): Promise<Sources> => readSources(await entriesOf(target), place);
  for (let sources = await read(); ; ) {
    const changed = new AbortController();
    const pass = onePass(target, place, sources, io, AbortSignal.any([over, changed.signal]));
    try {
      sources = await nextChange(sources, read, over);
    } finally {
      // What is told next is about what is there now.
      changed.abort();
      await pass;
    }
  }
}

/** Never rejects: what goes wrong is told, and may be right after the next change. */
async function onePass(
  target: string,
  place: TestPlace,
  { tests }: Sources,
  io: ExtCommandIo,
  signal: AbortSignal,
): Promise<void> {
  try {
    await say(`checking ${target}`);
    const report = await checkExtension(target, io, signal);
    await writeStdout(checkText(report, realpathSync(io.cwd)));
    if (tests.length > 0) {
      await say('testing');
      const tested = await runTests(place, [], { env: io.env, signal });
      if ('problem' in tested) await writeStdout(`${tested.problem}\n`);
    }
  } catch (error) {
    if (!signal.aborted) await writeStdout(`${messageOf(error)}\n`);
  }
  if (!signal.aborted) await say('waiting for a change; Ctrl+C or Ctrl+D ends this');
}

/** Files that would be loaded, as they are found anywhere. */
async function entriesOf(target: string): Promise<string[]> {
  const own = await filesOfPackage(target, 'extensions', () => undefined);
  return own.length > 0 || !statSync(target).isDirectory() ? own : extensionsIn(target);
}

const say = (what: string): Promise<void> => writeStdout(`[${new Date().toTimeString().slice(0, 8)}] ${what}\n`);
