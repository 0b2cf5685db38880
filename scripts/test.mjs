#!/usr/bin/env node
// npm test [-- <vitest arguments>]: set-up, then every test; the last line is `N passed, N failed`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runChild } from './lib/run-child.mjs';
import { ROOT, setUp } from './lib/set-up.mjs';

await setUp();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-test-'));
try {
  const results = path.join(folder, 'results.json');
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const code = await runChild(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], { cwd: ROOT });
  process.exitCode = code;
  if (fs.existsSync(results)) {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(fs.readFileSync(results, 'utf8'));
    // A file that does not load, or an error outside a test, has failed without a test that did.
    const failed = numFailedTests || numFailedTestSuites || (code === 0 ? 0 : 1);
    console.log(`${numPassedTests} passed, ${failed} failed`);
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
