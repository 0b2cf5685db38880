import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/coded-error.js';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, type TruncationResult, truncateTail } from './output-limits.js';

/** Kept in memory at most: enough for the longest tail, with room so that trimming is rare. */
const MAX_KEPT_UNITS = 4 * DEFAULT_MAX_BYTES;

const LF = 0x0a;

export interface CollectedOutput {
  /** The whole output, or its end. */
  text: string;
  truncation: TruncationResult;
  /** Where the whole output is, once it is longer than the limits. */
  fullOutputPath: string | undefined;
  /** Why there is no such file although the output was cut. */
  saveError: string | undefined;
}

export interface OutputCollectorOptions {
  /** Folder of the `pi-bash-<hex>.log` files. */
  tmpDir: string;
  /** Each piece of clean output as it comes. */
  onText?: (delta: string) => void;
}

/**
 * Collects a command's clean output in bounded memory: the end of it, and once that is no longer all, a file with everything (mode 0600).
 * The file is written synchronously: a command that prints faster than the disk takes it waits in its pipe instead of filling our memory.
 */
export class OutputCollector {
  readonly #tmpDir: string;
  readonly #onText: ((delta: string) => void) | undefined;
  #tail = '';
  #newlines = 0;
  #bytes = 0;
  #endsWithNewline = true;
  #file: number | undefined;
  #path: string | undefined;
  #saveError: string | undefined;

  constructor(options: OutputCollectorOptions) {
    this.#tmpDir = options.tmpDir;
    this.#onText = options.onText;
  }

  add(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#newlines += countByte(bytes, LF);
    this.#bytes += bytes.length;
    this.#endsWithNewline = bytes[bytes.length - 1] === LF;
    this.#tail += text;
    if (this.#path !== undefined) this.#save(bytes);
    else if (this.#saveError === undefined && this.#isOverLimit()) this.#openFile();
    if (this.#tail.length > MAX_KEPT_UNITS) this.#tail = this.#tail.slice(-DEFAULT_MAX_BYTES);
    this.#onText?.(text);
  }

  /** What there is so far, cut to the limits. */
  snapshot(): CollectedOutput {
    const totals = { totalLines: this.#lines(), totalBytes: this.#bytes };
    const truncation = truncateTail(this.#tail, {}, totals);
    return { text: truncation.content, truncation, fullOutputPath: this.#path, saveError: this.#saveError };
  }

  /** Closes the file. Nothing may be added afterwards. */
  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }

  #lines(): number {
    return this.#newlines + (this.#endsWithNewline ? 0 : 1);
  }

  #isOverLimit(): boolean {
    return this.#bytes > DEFAULT_MAX_BYTES || this.#lines() > DEFAULT_MAX_LINES;
  }

  #openFile(): void {
    const path = join(this.#tmpDir, `pi-bash-${randomBytes(8).toString('hex')}.log`);
    try {
      this.#file = openSync(path, 'wx', 0o600);
      this.#path = path;
    } catch (error) {
      this.#saveError = messageOf(error);
      return;
    }
    this.#save(Buffer.from(this.#tail));
  }

  #save(bytes: Buffer): void {
    if (this.#file === undefined) return;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      // A full disk must not end the command: what was saved so far stays, and the result says that it is not all.
      this.#saveError = messageOf(error);
      this.close();
    }
  }
}

/** A plain loop: several times faster than searching when lines are short. */
function countByte(bytes: Buffer, wanted: number): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === wanted) count += 1;
  return count;
}
