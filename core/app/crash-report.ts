import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/coded-error.js';
import { redact } from '../base/secrets.js';

/** Options whose value is a secret. */
const SECRET_OPTIONS = new Set(['--api-key']);

/** Writes what is known of a crash of our own to a file only its user can read, and returns its path. No prompts, no keys. */
export function writeCrashReport(
  folder: string,
  error: unknown,
  about: { version: string; argv: readonly string[]; now: Date },
): string {
  const file = path.join(folder, `crash-${about.now.toISOString().replace(/[:.]/g, '-')}-${process.pid}.json`);
  const report = {
    time: about.now.toISOString(),
    version: about.version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    arguments: withoutSecrets(about.argv),
    error: messageOf(error),
    stack: error instanceof Error ? (error.stack ?? null) : null,
    memory: process.memoryUsage(),
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, redact(`${JSON.stringify(report, null, 2)}\n`), { mode: 0o600 });
  return file;
}

/** Only the names of options: messages and values may hold what is nobody's business. */
function withoutSecrets(argv: readonly string[]): string[] {
  return argv
    .filter((word) => word.startsWith('-'))
    .map((word) => (SECRET_OPTIONS.has(word.split('=')[0] ?? '') ? '--api-key' : (word.split('=')[0] ?? word)));
}
