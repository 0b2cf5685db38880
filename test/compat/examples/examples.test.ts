import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from '../../support/pi-process.js';
import { compareOutlines, unexplained } from './compare.js';
import { type Drive, type Run, run } from './drive.js';
import { DRIVES } from './drives.js';
import { fetchExamples, VERSION } from './example-files.js';
import { outlineOf } from './outline.js';
import { Turns } from './turns.js';

const examples = fetchExamples();
const { program = [], folder = '', names = [] } = examples ?? {};

/** Both programs at once would be two of each; more than a few are slower, not faster. */
const turns = new Turns(3);
const OURS = [process.execPath, CLI];
/** Most of it is waiting for a turn. */
const TIMEOUT_MS = 180_000;

const drivesOf = (name: string): { label: string; name: string; drive: Drive }[] => {
  const drives = [DRIVES[name] ?? {}].flat();
  return drives.map((drive, at) => ({ label: drives.length > 1 ? `${name} (${at + 1})` : name, name, drive }));
};

/** What our program says of the extensions it has loaded. */
const loadedIn = ({ records }: Run): { state: string }[] =>
  records.find(({ command }) => command === 'get_extensions')?.data.extensions ?? [];

describe.skipIf(!examples)(`example extensions of ${VERSION}`, () => {
  it('are all there', () => {
    expect(names.length).toBeGreaterThan(70);
    expect(Object.keys(DRIVES).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.concurrent.each(names.flatMap(drivesOf))(
    '$label registers, does and says the same',
    { timeout: TIMEOUT_MS },
    async ({ name, drive }) => {
      const extension = path.join(folder, drive.entry ?? name);
      const [there, here] = await Promise.all([
        turns.take(() => run(program, extension, drive)),
        turns.take(() => run(OURS, extension, { ...drive, asksForExtensions: true })),
      ]);
      expect(loadedIn(here)).toMatchObject([{ state: 'ready' }]);
      expect(here.badLines).toEqual([]);
      const unlike = compareOutlines(outlineOf(there, drive), outlineOf(here, drive));
      expect(unexplained(unlike, drive.differences ?? [])).toEqual([]);
    },
  );
});

it.runIf(!examples)(`skipped: ${VERSION} and its examples could not be had from the package registry`, () => {
  console.log(`the example extensions of ${VERSION} were not run`);
});
