import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';

/**
 * Puts new content in the place of `file`: written aside, made durable and renamed, so that a reader, and a crash, sees the old file or
 * the new one. When it throws, the old one is as it was and nothing is left beside it. A link is replaced: resolve it first to keep it.
 */
export async function replaceFile(file: string, mode: number, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const handle = await open(aside, 'wx', mode);
    try {
      await write(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } catch (error) {
    // Gone already when opening it failed; the first error is the one that matters.
    await unlink(aside).catch(() => undefined);
    throw error;
  }
}
