import type { HttpCall, WireInit } from './http.js';
import type { WireHeaders } from './stream-answer.js';

/** What the adapters give an SDK's `post`; the call travels in `fetchOptions`, where the SDKs keep transport options. */
interface WireRequestOptions {
  body: string;
  headers: WireHeaders;
  fetchOptions: { call: HttpCall };
}

/** The request that a client's `buildRequest` gives its `fetchWithTimeout`, which are both ours: with plain headers. */
export function toWireRequest(
  url: string,
  options: { method: string; body?: unknown; headers?: unknown; fetchOptions?: unknown },
  userAgent: string,
): { req: RequestInit & { headers: Headers }; url: string; timeout: number } {
  const { body, headers, fetchOptions } = options as WireRequestOptions; // only the adapters make requests
  const sent: Record<string, string> = { 'user-agent': userAgent };
  for (const [name, value] of Object.entries(headers)) if (value !== null) sent[name] = value;
  const req: WireInit = { method: options.method.toUpperCase(), headers: sent, body, ...fetchOptions };
  // The SDK only hands it on.
  return { req: req as unknown as RequestInit & { headers: Headers }, url, timeout: 0 };
}

/** Sends a request made by {@link toWireRequest}. The SDKs look at status and headers only; the body is read through the call. */
export async function sendWireRequest(url: unknown, init: RequestInit | undefined): Promise<Response> {
  const given = init as unknown as (WireInit & { call: HttpCall }) | undefined; // made above
  if (!given) throw new TypeError('a request without its call');
  return (await given.call.send(String(url), given)) as unknown as Response;
}
