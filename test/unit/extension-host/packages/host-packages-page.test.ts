import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HOST_PACKAGES_PAGE, hostPackagesPage } from '../../../../scripts/lib/host-packages-page.mjs';

const ROOT = new URL('../../../../', import.meta.url);

test('the page about the packages says what is so: run `node scripts/lib/host-packages-page.mjs` when it does not', async () => {
  const page = await hostPackagesPage();
  expect(readFileSync(new URL(HOST_PACKAGES_PAGE, ROOT), 'utf8')).toBe(page);
  expect(page).toContain('| `retryAssistantCall` | Call complete() again');
  expect(page).toMatch(/Work: .*`StringEnum`/);
});
