/** What every provider takes as the id of a tool call; Anthropic checks the characters, OpenAI the length. */
const PORTABLE_ID = /^[A-Za-z0-9_-]{1,40}$/;
const ANTHROPIC_ID = /^[A-Za-z0-9_-]{1,128}$/;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Gives each tool call of one request an id that its provider takes and no other call has. */
export class CallIds {
  readonly #used = new Set<string>();

  /** `isOwn`: the model that made the id gets it back, in whatever form its dialect has. */
  take(id: string, isOwn: boolean, api: string): string {
    const wanted = this.#fits(id, isOwn, api) ? id : portable(id);
    let unique = wanted;
    for (let n = 2; this.#used.has(unique); n++) unique = `${portable(wanted)}_${n}`;
    this.#used.add(unique);
    return unique;
  }

  #fits(id: string, isOwn: boolean, api: string): boolean {
    if (!isOwn) return PORTABLE_ID.test(id);
    return api === 'anthropic-messages' ? ANTHROPIC_ID.test(id) : id.trim() !== '';
  }
}

/** The same every time; different ids stay different. Leaves room for a number behind it. */
function portable(id: string): string {
  const plain = id.replace(/[^A-Za-z0-9_-]/g, '_');
  return plain === id && id !== '' && id.length <= 34 ? id : `${plain.slice(0, 24) || 'call'}_${hash(id)}`;
}

/** FNV-1a, 32 bits, as hex. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** A tool name that providers take: models have been seen to invent others. */
export function sendableToolName(name: unknown): string {
  if (typeof name !== 'string' || name === '') return 'unknown_tool';
  return TOOL_NAME.test(name) ? name : name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
