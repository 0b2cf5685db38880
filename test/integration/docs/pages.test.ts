import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readDocument, shellLines } from './doc-blocks.js';
import { DocWorld } from './doc-world.js';

/** Pages whose blocks are commands that need nothing but the program, in their order. */
const PAGES = ['docs/using.md', 'docs/troubleshooting.md', 'docs/migrating.md'];

describe.each(PAGES)('%s', (page) => {
  const blocks = blocksOf(readDocument(page));
  let world: DocWorld;
  beforeAll(() => {
    world = new DocWorld();
  });
  afterAll(() => world.remove());

  it('has no block that is not run', () => {
    expect([...new Set(blocks.map(({ language }) => language))]).toEqual(['sh']);
  });

  it.each(blocks.flatMap((block) => shellLines(block)))('%s', { timeout: 60_000 }, async (line) => {
    const { code, stdout, stderr } = await world.run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/\bError\b|not found/) });
    expect(stdout).toMatch(/\S/);
  });
});
