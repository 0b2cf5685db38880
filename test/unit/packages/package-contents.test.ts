import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOfPackage, PACKAGE_KINDS } from '../../../core/resources/packages/package-contents.js';

let root: string;
let told: string[];

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-package-'));
  told = [];
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function write(...names: string[]): void {
  for (const name of names) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), '');
  }
}
const manifest = (json: unknown): void => fs.writeFileSync(path.join(root, 'package.json'), JSON.stringify(json));

async function contents(of = root): Promise<Record<string, string[]>> {
  const lists = await Promise.all(PACKAGE_KINDS.map((kind) => filesOfPackage(of, kind, (message) => told.push(message))));
  return Object.fromEntries(PACKAGE_KINDS.map((kind, at) => [kind, (lists[at] ?? []).map((file) => path.relative(root, file))]));
}

describe('what a package brings', () => {
  it('without a manifest, are the folders of the four names', async () => {
    write(
      'extensions/a.ts',
      'extensions/b.js',
      'extensions/c.d.ts',
      'extensions/readme.md',
      'extensions/sub/index.ts',
      'extensions/sub/other.ts',
    );
    write(
      'extensions/node_modules/x/index.js',
      'skills/one/SKILL.md',
      'skills/top.md',
      'prompts/p.md',
      'prompts/deep/no.md',
      'themes/t.json',
      'index.ts',
    );
    manifest({ name: 'x' });
    expect(await contents()).toEqual({
      extensions: ['extensions/a.ts', 'extensions/b.js', 'extensions/sub/index.ts'],
      skills: ['skills/one/SKILL.md', 'skills/top.md'],
      prompts: ['prompts/p.md'],
      themes: ['themes/t.json'],
    });
    expect(told).toEqual([]);
  });

  it('is its index file where it has none of these folders', async () => {
    write('index.js', 'index.ts', 'helper.ts');
    expect(await contents()).toEqual({ extensions: ['index.ts'], skills: [], prompts: [], themes: [] });
  });

  it('is one extension when it is a file', async () => {
    write('ext.ts', 'no.md');
    expect((await contents(path.join(root, 'ext.ts'))).extensions).toEqual(['ext.ts']);
    expect((await contents(path.join(root, 'no.md'))).extensions).toEqual([]);
  });

  it('with a manifest, is what it names and nothing else', async () => {
    write(
      'src/main.ts',
      'extensions/not.ts',
      'skills/not/SKILL.md',
      'more/p1.md',
      'more/p2.md',
      'more/draft.md',
      'node_modules/dep/skills/s/SKILL.md',
    );
    manifest({
      pi: { extensions: ['./src/main.ts'], prompts: ['more/*.md', '!more/draft.md'], skills: ['node_modules/dep/skills'] },
    });
    expect(await contents()).toEqual({
      extensions: ['src/main.ts'],
      skills: ['node_modules/dep/skills/s/SKILL.md'],
      prompts: ['more/p1.md', 'more/p2.md'],
      themes: [],
    });
  });

  it('reports what the manifest names in vain, outside of the package, or in the wrong form', async () => {
    write('prompts/p.md');
    manifest({ pi: { extensions: ['gone.ts'], skills: ['../elsewhere'], prompts: 'prompts' } });
    expect(await contents()).toEqual({ extensions: [], skills: [], prompts: [], themes: [] });
    expect([...new Set(told)].map((message) => message.replace(root, '')).sort()).toEqual([
      '/package.json: "pi.extensions" names "gone.ts", but there is nothing of the kind',
      '/package.json: "pi.prompts" must be a list of texts; it is ignored',
      '/package.json: "pi.skills" names "../elsewhere", which is not in the package; it is ignored',
    ]);
  });

  it('is the folders where the manifest is broken, and that is reported', async () => {
    write('prompts/p.md');
    fs.writeFileSync(path.join(root, 'package.json'), '{ not json');
    expect((await contents()).prompts).toEqual(['prompts/p.md']);
    expect(told[0]).toContain("package.json can't be read");
    expect(await contents(path.join(root, 'nowhere'))).toEqual({ extensions: [], skills: [], prompts: [], themes: [] });
  });
});
