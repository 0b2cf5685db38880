#!/usr/bin/env node
// npm start                       a demonstration on examples/sample-project with the offline model
// npm start -- <pi arguments>     pi with these arguments
import path from 'node:path';
import { runChild } from './lib/run-child.mjs';
import { ROOT, setUp } from './lib/set-up.mjs';

await setUp();

const args = process.argv.slice(2);
if (args.length === 0) {
  const { demonstrate } = await import('./demo.mjs');
  process.exitCode = await demonstrate();
} else {
  // npm changes to the package's folder; pi works in the one the user is in.
  const cwd = process.env.npm_lifecycle_event === 'start' ? (process.env.INIT_CWD ?? process.cwd()) : process.cwd();
  process.exitCode = await runChild(process.execPath, [path.join(ROOT, 'dist/cli.js'), ...args], { cwd });
}
