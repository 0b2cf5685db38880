import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface Block {
  type?: string;
  text?: string;
}
interface Message {
  role: string;
  content: string | Block[];
}

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
const isResult = ({ content }: Message): boolean => Array.isArray(content) && content.some(({ type }) => type === 'tool_result');

/** An event of the stream as it goes over the wire. */
const frame = (type: string, fields: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const begin = frame('message_start', {
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const end = (reason: string): string =>
  frame('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } }) +
  frame('message_stop', {});
const delta = (fields: object): string => frame('content_block_delta', { index: 0, delta: fields });

/** `count` deltas of a word each. */
function* text(count: number): Generator<string> {
  yield begin + frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (let at = 0; at < count; at++) yield delta({ type: 'text_delta', text: `word ${at % 10} ` });
  yield frame('content_block_stop', { index: 0 }) + end('end_turn');
}

function* call(id: number, name: string, args: object): Generator<string> {
  const block = { type: 'tool_use', id: `call_${id}`, name, input: {} };
  yield begin + frame('content_block_start', { index: 0, content_block: block });
  yield delta({ type: 'input_json_delta', partial_json: JSON.stringify(args) });
  yield frame('content_block_stop', { index: 0 }) + end('tool_use');
}

/**
 * `STREAM n` is answered with n deltas, `LOOP n` with n calls of `read` one after the other, `BIG n` with a call of a tool that gives
 * n megabytes, anything else with one word.
 */
function* answer(messages: readonly Message[]): Generator<string> {
  const asked = messages.findLastIndex((message) => message.role === 'user' && !isResult(message));
  const [, kind, count] = /^(STREAM|LOOP|BIG) (\d+)$/.exec(messages[asked] ? textOf(messages[asked]) : '') ?? [];
  const done = messages.slice(asked + 1).filter(isResult).length;
  if (kind === 'LOOP' && done < Number(count)) yield* call(done, 'read', { path: 'three-lines.txt' });
  else if (kind === 'BIG' && done === 0) yield* call(0, 'big', { megabytes: Number(count) });
  else yield* text(kind === 'STREAM' ? Number(count) : 1);
}

const PIECE = 16 * 1024;

/** A loopback service that answers at once, in pieces as a network makes them. */
export async function startModelService(): Promise<{ url: string; close: () => void }> {
  const server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { messages = [] } = JSON.parse(Buffer.concat(pieces).toString()) as { messages?: Message[] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let pending = '';
    for (const piece of answer(messages)) {
      pending += piece;
      if (pending.length < PIECE) continue;
      if (!response.write(pending)) await new Promise((resolve) => response.once('drain', resolve));
      pending = '';
    }
    response.end(pending);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // an object: it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
