import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseTranspiled } from '../../contract/transpiled-code.js';

export interface CacheLimits {
  maxFiles: number;
  maxBytes: number;
}

/** Some hundred times what thirty extensions need. */
export const DEFAULT_LIMITS: CacheLimits = { maxFiles: 4_000, maxBytes: 64 * 1024 * 1024 };

/** Left by a process that was killed while it wrote. */
const ASIDE_MAX_AGE_MS = 60 * 60 * 1000;

/**
 * The folder with transpiled code, which several processes share. Nobody else may write there, as what is in it runs. Where
 * the folder wished for can't be had (read-only, somebody else's), one of this process's own takes its place until `dispose`.
 */
export class CacheFolder {
  readonly path: string;
  readonly #own: boolean;

  /** `onUnusable` is told why the wished folder is not used. */
  constructor(wished: string, onUnusable: (error: unknown) => void) {
    let own = false;
    try {
      makePrivate(wished);
    } catch (error) {
      onUnusable(error);
      own = true;
    }
    this.#own = own;
    this.path = own ? mkdtempSync(path.join(os.tmpdir(), 'pi-code-')) : wished;
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  /** False also for a damaged file. */
  holds(name: string): boolean {
    try {
      return parseTranspiled(readFileSync(this.file(name), 'utf8')) !== undefined;
    } catch {
      // Not there, or not readable: made anew.
      return false;
    }
  }

  /** Written aside and renamed. Not made durable: what a crash leaves half-written is recognised and made anew. */
  write(name: string, text: string): string {
    const aside = this.file(`${name}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    try {
      writeFileSync(aside, text, { mode: 0o600, flag: 'wx' });
      renameSync(aside, this.file(name));
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
    return this.file(name);
  }

  /** Removes what was not used for longest, until a tenth below the limits. What another process removed meanwhile does not matter. */
  async prune({ maxFiles, maxBytes }: CacheLimits, nowMs: number): Promise<void> {
    const files: { file: string; bytes: number; usedMs: number }[] = [];
    for (const name of await readdir(this.path)) {
      const file = this.file(name);
      const found = await stat(file).catch(() => undefined);
      if (!found) continue;
      if (name.endsWith('.tmp') && nowMs - found.mtimeMs > ASIDE_MAX_AGE_MS) await unlink(file).catch(() => undefined);
      if (name.endsWith('.code')) files.push({ file, bytes: found.size, usedMs: Math.max(found.atimeMs, found.mtimeMs) });
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    let count = files.length;
    if (count <= maxFiles && bytes <= maxBytes) return;
    for (const oldest of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (count <= maxFiles * 0.9 && bytes <= maxBytes * 0.9) return;
      await unlink(oldest.file).catch(() => undefined);
      bytes -= oldest.bytes;
      count--;
    }
  }

  dispose(): void {
    if (this.#own) rmSync(this.path, { recursive: true, force: true });
  }
}

function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (process.platform === 'win32') return;
  if (uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
