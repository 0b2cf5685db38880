/** Bytes of the beginning of a file that tell its kind. */
export const KIND_BYTES = 8192;

export type FileKind = { kind: 'text' } | { kind: 'image'; mimeType: string } | { kind: 'binary'; why: string };

const ascii = (bytes: Buffer, from: number, text: string): boolean => bytes.toString('latin1', from, from + text.length) === text;

/** What a file is, by its first bytes and never by its name: a PNG called `.txt` is an image, a text called `.png` is text. */
export function fileKind(start: Buffer): FileKind {
  const mimeType = imageType(start);
  if (mimeType) return { kind: 'image', mimeType };
  if (start.length >= 2 && ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff))) {
    return { kind: 'binary', why: 'it is UTF-16 text; convert it first, for example with iconv -f UTF-16 -t UTF-8' };
  }
  if (start.includes(0)) return { kind: 'binary', why: 'it is a binary file' };
  return { kind: 'text' };
}

function imageType(bytes: Buffer): string | undefined {
  if (bytes.length >= 8 && ascii(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  if (ascii(bytes, 0, 'GIF87a') || ascii(bytes, 0, 'GIF89a')) return 'image/gif';
  if (ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP')) return 'image/webp';
  return undefined;
}
