import { expect, test } from 'vitest';
import { hostPackagesPage } from '../../../../scripts/lib/host-packages-page.mjs';

test('the page about the packages names what works, and the way out for what does not', async () => {
  const page = await hostPackagesPage();
  expect(page).toContain('| `retryAssistantCall` | Call complete() again');
  expect(page).toMatch(/Work: .*`StringEnum`/);
});
