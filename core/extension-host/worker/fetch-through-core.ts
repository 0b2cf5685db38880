import { MAX_REQUEST_BYTES } from '../contract/outside.js';
import type { CorePort } from './core-port.js';

/** Statuses whose answers have no body. */
const NO_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** `fetch` of a process that has no network: the core sends the request, if it is granted. */
export function createFetch(core: CorePort, extension: () => string): typeof fetch {
  return async (input, init) => {
    // Node's own class does all the checks and conversions of the standard.
    const request = new Request(input as RequestInfo, init);
    const headers: [string, string][] = [];
    request.headers.forEach((value, key) => {
      headers.push([key, value]);
    });
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    if (body && body.length > MAX_REQUEST_BYTES) throw new TypeError(`fetch: a body of more than ${MAX_REQUEST_BYTES} bytes`);
    const asked = {
      url: request.url,
      method: request.method,
      headers,
      redirect: request.redirect,
      ...(body && { body: body.toString('base64') }),
    };
    return new Promise<Response>((resolve, reject) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      let isOver = false;
      const withdraw = new AbortController();
      const answered = core.call('net.fetch', [extension(), asked], {
        signal: AbortSignal.any([request.signal, withdraw.signal]),
        onProgress: ({ head, chunk }) => {
          if (head) {
            const bytes = NO_BODY.has(head.status)
              ? null
              : new ReadableStream<Uint8Array>({
                  start: (controller) => {
                    stream = controller;
                  },
                  cancel: () => {
                    isOver = true;
                    withdraw.abort();
                  },
                });
            resolve(toResponse(head, bytes));
          }
          if (chunk !== undefined && !isOver) stream?.enqueue(Buffer.from(chunk, 'base64'));
        },
      });
      answered.then(
        () => {
          if (!isOver) stream?.close();
        },
        (error: unknown) => {
          const failure = request.signal.aborted ? request.signal.reason : new TypeError('fetch failed', { cause: error });
          // What was refused is no failure of the network.
          const told = (error as { code?: unknown }).code === 'CAPABILITY_DENIED' ? error : failure;
          if (!isOver) stream?.error(told);
          reject(told);
        },
      );
    });
  };
}

function toResponse(
  {
    status,
    statusText,
    url,
    redirected,
    headers,
  }: { status: number; statusText: string; url: string; redirected: boolean; headers: [string, string][] },
  body: ReadableStream<Uint8Array> | null,
): Response {
  const response = new Response(body, { status, statusText, headers });
  Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
  return response;
}
