import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { sleep } from '../../base/deadline.js';
import { anthropicFrames } from './anthropic.js';
import { completionsFrames } from './completions.js';
import { type Frame, type ModelReply, type Script, toScript } from './reply.js';
import { responsesFrames } from './responses.js';

export type { ModelReply } from './reply.js';
export type ModelApi = 'anthropic-messages' | 'openai-completions' | 'openai-responses';

const DIALECTS: readonly { api: ModelApi; path: RegExp; frames: (script: Script) => Iterable<Frame> }[] = [
  { api: 'anthropic-messages', path: /\/messages$/, frames: anthropicFrames },
  { api: 'openai-completions', path: /\/chat\/completions$/, frames: completionsFrames },
  { api: 'openai-responses', path: /\/responses$/, frames: responsesFrames },
];

export interface ModelRequest {
  api: ModelApi;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** The body as text, and parsed. */
  raw: string;
  body: Record<string, unknown>;
  /** Which connection it came on, from 0. */
  connection: number;
  /** Resolves when the connection or the response has ended; `true` when the client left before the end. */
  closed: Promise<boolean>;
}

export interface ScriptedModel {
  url: string;
  requests: ModelRequest[];
  push(...replies: ModelReply[]): void;
  /** Request number `at` (from 0), once it has come in. */
  request(at: number): Promise<ModelRequest>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A loopback model service in all three dialects; each request takes the next reply off the script. */
export async function startScriptedModel(...script: ModelReply[]): Promise<ScriptedModel> {
  const queue = [...script];
  const requests: ModelRequest[] = [];
  const waiting = new Set<() => void>();
  const connections = new Map<unknown, number>();
  const server = http.createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.on('connection', (socket) => connections.set(socket, connections.size));

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const raw = await readAll(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const dialect = DIALECTS.find((one) => one.path.test(path));
    if (!dialect) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"no such route"}}');
      return;
    }
    requests.push({
      api: dialect.api,
      path,
      headers: request.headers,
      raw,
      body: JSON.parse(raw) as Record<string, unknown>,
      connection: connections.get(request.socket) ?? -1,
      closed: new Promise((resolve) => response.once('close', () => resolve(!response.writableFinished))),
    });
    for (const wake of waiting) wake();
    const reply = queue.shift() ?? { status: 400, body: { error: { message: 'the script is exhausted' } } };
    const model = (requests.at(-1)?.body.model ?? 'fake') as string; // every dialect names it so
    await answer(reply, dialect.frames(toScript(reply, model)), response);
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // an object: it listens on TCP
    requests,
    push: (...replies) => void queue.push(...replies),
    request: (at) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = requests[at];
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function answer(reply: ModelReply, frames: Iterable<Frame>, response: http.ServerResponse): Promise<void> {
  if (reply.delayMs !== undefined) await pause(reply.delayMs, response);
  if (reply.hang === 'start') return;
  if (reply.status !== undefined) {
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? { error: { message: 'fake' } });
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(body);
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    ...(reply.gzip ? { 'content-encoding': 'gzip' } : {}),
    ...reply.headers,
  });
  if (reply.raw !== undefined || reply.gzip || reply.pieceBytes) {
    const text = Buffer.from(reply.raw ?? [...frames].map(toWire).join(''));
    await writePieces(response, reply.gzip ? gzipSync(text) : text, reply.pieceBytes ?? text.length);
    response.end();
    return;
  }
  await stream(reply, [...frames], response);
}

async function stream(reply: ModelReply, frames: Frame[], response: http.ServerResponse): Promise<void> {
  const trouble = Math.max(1, Math.ceil(frames.filter(({ isDelta }) => isDelta).length / 2));
  let deltas = 0;
  for (const frame of frames) {
    if (frame.isLast && reply.hang) return;
    if (frame.isLast && reply.hold) await reply.hold;
    if (frame.isDelta && reply.pauseMs !== undefined) await pause(reply.pauseMs, response);
    await write(response, toWire(frame));
    if (!frame.isDelta || ++deltas !== trouble) continue;
    if (reply.malformed) await write(response, 'data: {"type":"content_block_delta",,,\n\n');
    if (reply.dropMidStream) {
      response.destroy();
      return;
    }
  }
  response.end();
}

async function writePieces(response: http.ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) await write(response, bytes.subarray(at, at + size));
}

/** Ends early when the client leaves. */
async function pause(ms: number, response: http.ServerResponse): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  await sleep(ms, gone.signal).catch(() => undefined);
  response.off('close', leave);
}

/** Resolves once the operating system has the bytes. */
const write = (response: http.ServerResponse, bytes: Buffer | string): Promise<void> =>
  new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });

const toWire = ({ event, data }: Frame): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

async function readAll(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
