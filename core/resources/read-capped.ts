import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * At most `maxBytes` of a file, and whether there was more. Works for pipes as well (`@<(command)`), which have no size.
 * With `mustBeFile` anything else is refused before a byte is read, and opening never waits for a writer.
 * Throws what `node:fs` throws, and `EISDIR` for a directory.
 */
export async function readCapped(
  path: string,
  maxBytes: number,
  options: { mustBeFile?: boolean } = {},
): Promise<{ bytes: Buffer; cut: boolean }> {
  const handle = await open(path, options.mustBeFile ? constants.O_RDONLY | constants.O_NONBLOCK : 'r');
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error(`${path} is a directory`), { code: 'EISDIR' });
    if (options.mustBeFile && !stat.isFile())
      throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
    const chunks: Buffer[] = [];
    let size = 0;
    // One byte more than allowed tells "just fits" from "too large".
    while (size <= maxBytes) {
      const room = maxBytes + 1 - size;
      const buffer = Buffer.allocUnsafe(Math.min(room, stat.isFile() && size === 0 ? Math.max(stat.size + 1, 4096) : 65_536));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
      // A regular file that gave all its bytes needs no second read to say so.
      if (stat.isFile() && size === stat.size && bytesRead < buffer.length) break;
    }
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    return { bytes: all.subarray(0, maxBytes), cut: size > maxBytes };
  } finally {
    await handle.close();
  }
}
