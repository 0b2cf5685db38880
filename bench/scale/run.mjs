#!/usr/bin/env node
// How costs grow with what causes them: extensions, skills, entries, megabytes, queued messages, turns, agents.
//   node bench/scale/run.mjs [--only AXIS]... [--runs 3] [--node PATH] [--pi cli.js] [--svg FILE]
// Prints a table; --svg draws the first figure of each axis. What it showed is in docs/PERFORMANCE.md.
import { runBundled } from '../bundled.mjs';

process.exitCode = await runBundled(import.meta.url, 'main.ts');
