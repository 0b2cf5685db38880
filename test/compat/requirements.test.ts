import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { REQUIREMENTS } from './requirements.js';

it('each requirement is cited by a test', () => {
  const folder = fileURLToPath(new URL('./', import.meta.url));
  const tests = fs.readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  const cited = new Set(
    tests.flatMap((name) =>
      [...fs.readFileSync(folder + name, 'utf8').matchAll(/\bverifies\('([^']+)'\)/g)].map((match) => match[1]),
    ),
  );
  expect(cited.size).toBeGreaterThan(0);
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([]);
});
