import { writeSync } from 'node:fs';
import { LineReader } from '../../base/jsonl.js';
import { createLogger } from '../../base/logger.js';
import { toWireError } from '../contract/wire/messages.js';
import { Transpiler } from './transpile/transpiler.js';

/**
 * Makes code of the sources of restricted extensions: a process of ours that runs none of it. What takes for ever here keeps nobody else
 * waiting. One request a line on stdin, `{id, path, source}`; one answer a line on descriptor 3, `{id, file}` or `{id, error}`. Ends with stdin.
 */
const ANSWERS_FD = 3;
const log = createLogger({ room: 'transpile', level: 'warn', write: (line) => void process.stderr.write(line) });
const transpiler = new Transpiler({ cacheDir: process.argv[2] ?? '', log });

async function answer(line: string): Promise<void> {
  const { id, path, source } = JSON.parse(line) as { id: number; path: string; source: string };
  const done = await transpiler.transpile({ path, source }).catch((error: unknown) => ({ error: toWireError(error) }));
  writeSync(ANSWERS_FD, `${JSON.stringify({ id, ...done })}\n`);
}

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const reader = new LineReader({
  maxBytes: MAX_LINE_BYTES,
  onLine: (line) => void answer(line),
  onTooLong: (bytes) => log.warn('a request was too long', { bytes }),
});
process.stdin.on('data', (chunk: Buffer) => reader.push(chunk));
process.stdin.on('end', () => void transpiler.dispose().then(() => process.exit(0)));
