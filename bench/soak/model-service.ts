import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicFrames } from '../../test/support/fake-llm/anthropic.js';
import { type FakeReply, toScript } from '../../test/support/fake-llm/reply.js';

/** Text of a message's content, however it is written. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { type?: string; text?: string }) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}

interface Message {
  role: string;
  content: unknown;
}

const hasToolResult = ({ content }: Message): boolean =>
  Array.isArray(content) && content.some((part: { type?: string }) => part.type === 'tool_result');

/** A user's text is answered with a call of one of the tools, its result with `answer to <text>`. */
function replyTo(messages: readonly Message[], tools: number): FakeReply {
  const asked = messages.findLast((message) => message.role === 'user' && !hasToolResult(message));
  const text = textOf(asked?.content);
  const last = messages.at(-1);
  if (last && hasToolResult(last)) return { text: `answer to ${text} ${'word '.repeat(40)}`, chunks: 40 };
  return { text: 'Let me see.', toolCalls: [{ name: `tool_${Math.floor(Math.random() * tools)}`, args: { text } }] };
}

/** A loopback model service that always knows what to say. */
export async function startModelService(tools: number): Promise<{ url: string; close: () => void }> {
  const server = http.createServer(async (request, response) => {
    let raw = '';
    for await (const piece of request.setEncoding('utf8')) raw += piece;
    const { messages = [], model = 'fake' } = JSON.parse(raw) as { messages?: Message[]; model?: string };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const { event, data } of anthropicFrames(toScript(replyTo(messages, tools), model)))
      response.write(`${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo; // an object: it listens on TCP
  return { url: `http://127.0.0.1:${port}`, close };
}
