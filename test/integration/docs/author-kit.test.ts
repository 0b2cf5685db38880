import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, fileNameOf, readDocument, shellLines, tableUnder } from './doc-blocks.js';
import { DocWorld } from './doc-world.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = readDocument('docs/author-kit.md');
const blocks = blocksOf(page);

let world: DocWorld;
beforeAll(() => {
  world = new DocWorld();
});
afterAll(() => world.remove());

/** The lines as they are, with anything in the place of `…`. */
const like = ({ text }: Block): RegExp => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')}$`);

describe('docs/author-kit.md', () => {
  it('has no block that is not run', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'text', 'ts', 'json']));
  });

  it('works from its top to its end: files are written, commands succeed and say what the page says', {
    timeout: 120_000,
  }, async () => {
    let stdout = '';
    for (const block of blocks) {
      if (block.language === 'ts') world.write(fileNameOf(block) ?? '', block.text);
      if (block.language === 'text') expect(stdout).toMatch(like(block));
      if (block.language !== 'sh') continue;
      for (const line of shellLines(block)) {
        const done = await world.run(line);
        expect({ line, code: done.code, stderr: done.stderr }).toEqual({ line, code: 0, stderr: '' });
        stdout = done.stdout;
      }
    }
  });

  it('its extensions and tests are right for the compiler, by the types the page names', () => {
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(execFileSync(process.execPath, [tsc, '-p', path.join(world.sandbox.cwd, 'my-notes')], { encoding: 'utf8' })).toBe('');
    const said = blocks.find(({ language }) => language === 'json')?.text ?? '';
    const written = JSON.parse(readDocument('templates/extension/tsconfig.json'));
    expect(written.compilerOptions.paths).toEqual(JSON.parse(said).compilerOptions.paths);
  });

  it('its tables name members and options that the kit has', () => {
    const types = readDocument('dist/types/testing.d.ts');
    const named = tableUnder(page, '### A session').flatMap(([first = '']) =>
      [...first.matchAll(/`(\w+)/g)].map((match) => match[1]),
    );
    expect(named.length).toBeGreaterThan(20);
    for (const name of named) expect(types).toMatch(new RegExp(`^ +(?:readonly )?${name}[?(<:]`, 'm'));
  });
});
