const UTF_8 = new TextDecoder('utf-8');

/**
 * Text of a file a person wrote. A byte order mark is dropped, and one of UTF-16 (which Windows shells write) is obeyed; broken
 * UTF-8 becomes U+FFFD. Line ends stay as they are.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return UTF_8.decode(bytes);
}
