// docs/PROTOCOL.md: the reference of the protocol, written from its schemas.

export function protocolReference(protocol) {
  return `# Protocol\n`;
}
