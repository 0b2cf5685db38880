#!/usr/bin/env node
// Measures the whole program, beside other programs of its protocol where they are installed. Nothing else should run meanwhile.
//   node bench/run.mjs [--only PART]... [--runs 3] [--node PATH] [--pi cli.js] [--peer "name=command"]... [--no-peers]
// Without --peer, two versions of the existing program are installed once into the cache, as for the tests, and measured too. A row is
// "measure: figure | ours | each peer | ours / better peer"; lower is better for all. What it showed is in docs/PERFORMANCE.md.
import { runBundled } from './bundled.mjs';

process.exitCode = await runBundled(import.meta.url, 'macro/main.ts');
