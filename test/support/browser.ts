import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A Chromium of this machine; undefined when there is none, and the tests that need one are skipped with a line that says so. */
export const CHROMIUM: string | undefined = process.env.PI_TEST_CHROMIUM ?? CANDIDATES.find((path) => existsSync(path));

/** Options that keep a headless Chromium quiet and off the network. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
