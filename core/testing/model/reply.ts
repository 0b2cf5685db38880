export interface ReplyText {
  type: 'text';
  text: string;
}
export interface ReplyThinking {
  type: 'thinking';
  thinking: string;
  signature?: string;
  /** Anthropic: only the signature is sent. */
  redacted?: boolean;
}
export interface ReplyCall {
  type: 'toolCall';
  id?: string;
  name: string;
  args?: object;
  /** The arguments as text, when they should not be JSON. */
  rawArgs?: string;
}
export type ReplyBlock = ReplyText | ReplyThinking | ReplyCall;

export interface ReplyUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

/** What the next request is answered with. All fields are optional; `{}` is an empty answer. */
export interface ModelReply {
  /** Content in this order: thinking, text, toolCalls; or `blocks` in an order of their own. */
  thinking?: string;
  text?: string;
  toolCalls?: Omit<ReplyCall, 'type'>[];
  blocks?: ReplyBlock[];
  usage?: ReplyUsage;
  stopReason?: 'stop' | 'length' | 'toolUse' | 'refusal';
  /** Text and thinking are cut into this many deltas (default 3), or into these. */
  chunks?: number | string[];
  /** Waits this long before it answers, in milliseconds. */
  delayMs?: number;
  /** Waits this long before each piece of content, in milliseconds. */
  pauseMs?: number;
  /** Streams the content and never ends; `start`: never answers at all. */
  hang?: true | 'start';
  /** Streams the content, then waits for this before it ends. */
  hold?: Promise<unknown>;
  /** A plain HTTP answer instead of a stream. */
  status?: number;
  body?: object | string;
  headers?: Record<string, string>;
  /** Closes the socket half-way through the deltas. */
  dropMidStream?: boolean;
  /** Puts a line that is not JSON half-way through the deltas. */
  malformed?: boolean;
  /** The whole body, as it is. */
  raw?: string;
  /** Sends the body compressed. */
  gzip?: boolean;
  /** Sends the body in pieces of this many bytes, cutting characters and lines anywhere. */
  pieceBytes?: number;
}

/** One event of a stream. `isDelta`: content; `isLast`: what a hanging stream holds back. */
export interface Frame {
  event?: string;
  data: object | string;
  isDelta?: boolean;
  isLast?: boolean;
}

export type StreamedBlock =
  | { type: 'text'; pieces: string[]; text: string }
  | { type: 'thinking'; pieces: string[]; text: string; signature: string; redacted: boolean }
  | { type: 'toolCall'; pieces: string[]; text: string; id: string; name: string };

/** A reply with everything decided: what the dialects write. */
export interface Script {
  blocks: StreamedBlock[];
  usage: Required<ReplyUsage>;
  stop: NonNullable<ModelReply['stopReason']>;
  model: string;
  serial: number;
}

let serial = 0;

export function toScript(reply: ModelReply, model: string): Script {
  const given: ReplyBlock[] = reply.blocks ?? [
    ...(reply.thinking === undefined ? [] : [{ type: 'thinking' as const, thinking: reply.thinking }]),
    ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...(reply.toolCalls ?? []).map((call) => ({ type: 'toolCall' as const, ...call })),
  ];
  const hasCalls = given.some(({ type }) => type === 'toolCall');
  return {
    blocks: given.map((block) => toStreamed(block, reply.chunks ?? 3)),
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...reply.usage },
    stop: reply.stopReason ?? (hasCalls ? 'toolUse' : 'stop'),
    model,
    serial: ++serial,
  };
}

function toStreamed(block: ReplyBlock, chunks: number | string[]): StreamedBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, pieces: cut(block.text, chunks) };
    case 'thinking': {
      const { thinking: text, signature = 'c2lnbmVk', redacted = false } = block;
      return { type: 'thinking', text, pieces: cut(text, chunks), signature, redacted };
    }
    case 'toolCall': {
      const text = block.rawArgs ?? JSON.stringify(block.args ?? {});
      return { type: 'toolCall', text, pieces: cut(text, 3), id: block.id ?? `call_${++serial}`, name: block.name };
    }
  }
}

/** By code point, so that no delta splits a character. */
function cut(text: string, chunks: number | string[]): string[] {
  if (Array.isArray(chunks)) return chunks;
  const points = [...text];
  const size = Math.max(1, Math.ceil(points.length / chunks));
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}
