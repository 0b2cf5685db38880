import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { CodedError } from '../../base/coded-error.js';
import { MAX_RESPONSE_BYTES } from '../../extension-host/contract/outside.js';
import type { Grants } from '../../trust/grants.js';

export interface GrantedRequest {
  url: string;
  method: string;
  headers: [name: string, value: string][];
  redirect: 'follow' | 'error' | 'manual';
  /** base64 */
  body?: string;
}

export interface FetchHead {
  status: number;
  statusText: string;
  url: string;
  redirected: boolean;
  headers: [string, string][];
}

export interface GrantedFetchOptions {
  grants: Grants;
  signal: AbortSignal;
  onHead: (head: FetchHead) => void;
  onChunk: (chunk: Buffer) => void;
  /** The error for a host that is not granted. */
  denied: (capability: string) => CodedError;
}

const MAX_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Set by the one who sends. */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
]);
/** Not for another host than the one it was written for. */
const PRIVATE_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** This machine, and what clouds keep for their machines: never meant by the name of a host elsewhere. */
const OWN_ADDRESSES = new BlockList();
for (const [net, prefix] of [
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  OWN_ADDRESSES.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::1', 128],
  ['::', 128],
  ['fe80::', 10],
  ['::ffff:127.0.0.0', 104],
  ['::ffff:0.0.0.0', 104],
  ['::ffff:169.254.0.0', 112],
] as const)
  OWN_ADDRESSES.addSubnet(net, prefix, 'ipv6');

/**
 * Sends a request of a restricted extension to hosts it is granted, and to no other, whatever answers redirect to or names resolve to. Gives the
 * number of bytes of the answer. Rejects with `CAPABILITY_DENIED`, or with what the network says.
 */
export async function fetchGranted(request: GrantedRequest, options: GrantedFetchOptions): Promise<number> {
  let url = new URL(request.url);
  let { method, headers } = request;
  let body = request.body === undefined ? undefined : Buffer.from(request.body, 'base64');
  for (let hops = 0; ; hops++) {
    const answer = await send(url, method, headers, body, options);
    const { statusCode = 0, headers: answered } = answer;
    const target = REDIRECTS.has(statusCode) ? answered.location : undefined;
    if (target === undefined || request.redirect === 'manual') return receive(answer, url, hops > 0, options);
    answer.destroy();
    if (request.redirect === 'error' || hops >= MAX_REDIRECTS) throw new CodedError('NET_REDIRECT', `${url.href} redirects`);
    const next = new URL(target, url);
    if (statusCode === 303 || (statusCode <= 302 && method === 'POST')) {
      method = method === 'HEAD' ? 'HEAD' : 'GET';
      body = undefined;
      headers = headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
    }
    if (next.origin !== url.origin) headers = headers.filter(([name]) => !PRIVATE_HEADERS.has(name.toLowerCase()));
    url = next;
  }
}

function send(
  url: URL,
  method: string,
  headers: [string, string][],
  body: Buffer | undefined,
  { grants, signal, denied }: GrantedFetchOptions,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw new CodedError('NET_BAD_URL', `${url.protocol} can't be fetched here`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const granted = grants.hostPattern(host, port);
  if (!granted) throw denied(`net:${url.hostname}${url.port === '' ? '' : `:${url.port}`}`);
  // Only by its own name or address is this machine meant.
  const mayBeOwn = granted.host === host && (host === 'localhost' || isIP(host) !== 0);
  if (isIP(host) !== 0 && !mayBeOwn && isOwn(host)) throw denied(`net:${url.hostname}`);
  const sent: Record<string, string> = {};
  for (const [name, value] of headers) if (!OURS.has(name.toLowerCase())) sent[name] = value;
  return new Promise((resolve, reject) => {
    const asked = (isSecure ? https : http).request(url, {
      method,
      headers: { ...sent, 'accept-encoding': 'identity', ...(body && { 'content-length': String(body.length) }) },
      signal,
      agent: false,
      lookup: mayBeOwn ? undefined : (lookupElsewhere(() => denied(`net:${url.hostname}`)) as LookupFunction),
    });
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.end(body);
  });
}

/** The addresses are checked that are then used: a name can't mean another one a moment later. */
function lookupElsewhere(denied: () => Error): LookupFunction {
  return (hostname, options, done) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const usable = (addresses ?? []).filter(({ address }) => !isOwn(address));
      const [first] = usable;
      if (error) done(error, '', 4);
      else if (!first) done(denied(), '', 4);
      else if (options.all) done(null, usable);
      else done(null, first.address, first.family);
    });
  };
}

function isOwn(address: string): boolean {
  return OWN_ADDRESSES.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

async function receive(answer: IncomingMessage, url: URL, redirected: boolean, options: GrantedFetchOptions): Promise<number> {
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  const coding = answer.headers['content-encoding'];
  const decoded = await decode(answer, coding);
  options.onHead({
    status: statusCode,
    statusText: statusMessage,
    url: url.href,
    redirected,
    headers: decoded === answer ? headers : headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name)),
  });
  let bytes = 0;
  for await (const chunk of decoded) {
    const part = chunk as Buffer;
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES) {
      answer.destroy();
      throw new CodedError('NET_TOO_LARGE', `${url.href} answers with more than ${MAX_RESPONSE_BYTES} bytes`);
    }
    options.onChunk(part);
  }
  return bytes;
}

/** Some compress although they were asked not to. */
async function decode(answer: IncomingMessage, coding: string | undefined): Promise<Readable> {
  if (coding !== 'gzip' && coding !== 'deflate' && coding !== 'br') return answer;
  const zlib = await import('node:zlib');
  const decoder =
    coding === 'gzip' ? zlib.createGunzip() : coding === 'br' ? zlib.createBrotliDecompress() : zlib.createInflate();
  answer.once('error', (error) => decoder.destroy(error));
  return answer.pipe(decoder);
}
