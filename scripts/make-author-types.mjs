#!/usr/bin/env node
// Makes the types for extension authors, in a process of its own beside the rest of the build: reading all sources takes seconds.
//   node scripts/make-author-types.mjs [outdir]      default: dist/types
import fs from 'node:fs';
import path from 'node:path';
import { authorTypes } from './lib/author-types.mjs';
import { ROOT } from './lib/protocol-schemas.mjs';

const outdir = process.argv[2] ?? path.join(ROOT, 'dist/types');
fs.mkdirSync(outdir, { recursive: true });
for (const [name, content] of authorTypes()) {
  // Written aside and renamed: a reader sees the old file or the new one.
  const aside = path.join(outdir, `${name}.${process.pid}.tmp`);
  fs.writeFileSync(aside, content);
  fs.renameSync(aside, path.join(outdir, name));
}
