import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { CodedError } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import { PROVIDER_ERRORS } from './errors.js';
import { http, https } from './node-http.js';
import { type Route, routeTo } from './proxy.js';

/** More of an error page than this tells nothing. */
const MAX_ERROR_BODY = 64 * 1024;
/** A server that keeps sending after the end of the answer loses its connection. */
const DRAIN_MS = 1000;

export interface WireInit {
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * One request and its streamed answer, over `node:http` with kept connections (Node's own `fetch` costs 0.6 ms more a request).
 * Ends on abort, and after `idleTimeoutMs` without a byte (0: never).
 */
export class HttpCall {
  /** Set once the status and headers are here. */
  response: WireResponse | undefined;
  /** Why the transport failed, in our words: the SDKs wrap or replace what `fetch` throws. */
  failure: Error | undefined;
  readonly #signal: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #onAbort = (): void => this.#stop(abortedError(this.#signal));
  #request: ClientRequest | undefined;
  #body: Readable | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal, idleTimeoutMs: number) {
    this.#signal = signal;
    this.#idleTimeoutMs = Number.isFinite(idleTimeoutMs) && idleTimeoutMs > 0 ? idleTimeoutMs : 0;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Sends the request; resolves with the head of the response. One stale kept connection is replaced silently. */
  async send(address: string, init: WireInit): Promise<WireResponse> {
    try {
      this.#watch();
      const incoming = await this.#exchange(await routeTo(parseAddress(address)), init);
      const body = await decompressed(incoming);
      // It may break before anyone reads it; who reads it then is told.
      body.on('error', (error) => this.#failed(error));
      this.#body = body;
      this.response = new WireResponse(address, incoming, body);
      this.#idle?.refresh();
      return this.response;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #exchange({ isSecure, options, headers: proxyHeaders }: Route, init: WireInit): Promise<IncomingMessage> {
    const body = Buffer.from(init.body, 'utf8');
    const headers = { ...init.headers, ...proxyHeaders, 'content-length': String(body.length) };
    const attempt = (): Promise<IncomingMessage> => {
      if (this.#signal.aborted) this.#stop(abortedError(this.#signal));
      if (this.failure) throw this.failure;
      return new Promise((resolve, reject) => {
        const request = (isSecure ? https : http).request({ ...options, method: init.method, headers }, resolve);
        this.#request = request;
        request.on('error', (error) => reject(this.failure ?? error));
        request.end(body);
      });
    };
    try {
      return await attempt();
    } catch (error) {
      if (!this.#request?.reusedSocket || !isClosedByServer(error) || this.failure) throw error;
      return await attempt();
    }
  }

  /** Hands every chunk to `onChunk` until it returns false or the body ends. Rejects when the connection breaks, on silence and on abort. */
  read(onChunk: (chunk: Buffer) => boolean): Promise<void> {
    const body = this.#body;
    if (!body) return Promise.reject(this.failure ?? streamEnded());
    this.#idle?.refresh();
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer): void => {
        this.#idle?.refresh();
        try {
          if (onChunk(chunk)) return;
          body.off('data', onData);
          resolve();
        } catch (error) {
          fail(error);
        }
      };
      const fail = (error: unknown): void => {
        // Chunks that are already on their way are not for a reader who gave up.
        body.off('data', onData);
        reject(this.#failed(error));
        body.destroy();
      };
      if (this.failure || (body.destroyed && !body.readableEnded)) {
        fail(this.failure ?? streamEnded());
        return;
      }
      body.on('data', onData);
      body.on('end', resolve);
      body.on('error', fail);
      // Destroyed without an error of its own: by us, or by a server that went away.
      body.on('close', () => {
        if (!body.readableEnded) fail(this.failure ?? streamEnded());
      });
    });
  }

  /** Frees the connection: for the next request when the answer is whole, else by closing it. Idempotent. */
  release(isWhole: boolean): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    clearTimeout(this.#idle);
    this.#idle = undefined;
    const request = this.#request;
    if (!request || request.destroyed) return;
    request.on('error', ignoreAfterEnd);
    const body = this.#body;
    if (!isWhole || !body) {
      request.destroy();
      return;
    }
    body.on('error', ignoreAfterEnd);
    body.resume();
    const impatient = setTimeout(() => request.destroy(), DRAIN_MS);
    impatient.unref();
    body.once('close', () => clearTimeout(impatient));
  }

  #watch(): void {
    const ms = this.#idleTimeoutMs;
    if (ms === 0) return;
    this.#idle = setTimeout(() => {
      this.#stop(
        new CodedError(PROVIDER_ERRORS.STREAM_SILENT, `The provider sent nothing for ${ms / 1000} s (streamIdleTimeoutMs)`, {
          data: { idleTimeoutMs: ms },
        }),
      );
    }, ms);
  }

  #failed(error: unknown): Error {
    // Node's word for a response cut short is "aborted", which is what people do, not servers.
    const isCut = this.response !== undefined && isClosedByServer(error);
    this.failure ??= isCut ? streamEnded(error) : error instanceof Error ? error : new Error(String(error));
    return this.failure;
  }

  /** Closes the socket at once. */
  #stop(why: Error): void {
    this.failure ??= why;
    this.#request?.destroy(why);
    this.#body?.destroy(why);
  }
}

/** The part of a fetch `Response` that the SDKs and the adapters look at; the body is read through the call. */
export class WireResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Never read by the SDKs, which we ask for the raw response. */
  readonly body = null;
  readonly #body: Readable;
  #text: Promise<string> | undefined;

  constructor(url: string, incoming: IncomingMessage, body: Readable) {
    this.url = url;
    this.status = incoming.statusCode ?? 0;
    this.ok = this.status >= 200 && this.status < 300;
    const headers = Object.entries(incoming.headers);
    this.headers = new Map(headers.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]));
    this.#body = body;
  }

  /** The body as text, cut at 64 KB; may be asked for again. */
  text(): Promise<string> {
    this.#text ??= readText(this.#body);
    return this.#text;
  }
}

async function readText(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    const bytes = part as Buffer; // a byte stream without an encoding gives nothing else
    parts.push(bytes);
    size += bytes.length;
    if (size >= MAX_ERROR_BODY) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_ERROR_BODY).toString('utf8');
}

/** We ask for no compression, which only delays small events; some proxies compress all the same. */
async function decompressed(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return incoming;
  const zlib = await import('node:zlib');
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? zlib.createGunzip(flush)
      : encoding === 'deflate'
        ? zlib.createInflate(flush)
        : encoding === 'br'
          ? zlib.createBrotliDecompress()
          : undefined;
  if (!decoder) {
    incoming.destroy();
    throw new CodedError(PROVIDER_ERRORS.NOT_A_STREAM, `The provider answered in an unknown encoding: ${encoding}`);
  }
  incoming.on('error', (error) => decoder.destroy(error));
  incoming.on('aborted', () => decoder.destroy(streamEnded()));
  return incoming.pipe(decoder);
}

function parseAddress(address: string): URL {
  try {
    return new URL(address);
  } catch (cause) {
    throw new CodedError(PROVIDER_ERRORS.BAD_URL, `The model's address is not a URL: ${address}`, { cause });
  }
}

export const streamEnded = (cause?: unknown): CodedError =>
  new CodedError(PROVIDER_ERRORS.STREAM_ENDED, 'The provider ended the stream before the answer was complete', { cause });

/** The server closed the connection; a kept one, just as we used it, before it could act on what we sent. */
const isClosedByServer = (error: unknown): boolean =>
  error instanceof Error && ['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code));

function ignoreAfterEnd(): void {
  // The answer is whole or given up: how its connection ends no longer matters.
}
