export interface ImageSize {
  width: number;
  height: number;
}

/** Pixels of a PNG, JPEG, GIF or WebP, read from its first bytes; undefined for anything else, or a broken one. */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  const size = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

const starts = (bytes: Buffer, at: number, text: string): boolean => bytes.toString('latin1', at, at + text.length) === text;

function png(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || !starts(bytes, 0, '\x89PNG\r\n\x1a\n')) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || !starts(bytes, 0, 'GIF8')) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || !starts(bytes, 0, 'RIFF') || !starts(bytes, 8, 'WEBP')) return undefined;
  if (starts(bytes, 12, 'VP8 ')) return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (starts(bytes, 12, 'VP8L')) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

/** Walks the segments to the one that tells the size. */
function jpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
