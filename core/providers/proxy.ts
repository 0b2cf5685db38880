import type { Agent, RequestOptions } from 'node:https';
import { CodedError, messageOf } from '../base/coded-error.js';
import { PROVIDER_ERRORS } from './errors.js';
import { http, https } from './node-http.js';

/** Connections are kept: a request to a warm one costs a fraction of a new TLS handshake. */
const KEEP_ALIVE = { keepAlive: true, keepAliveMsecs: 30_000, scheduling: 'lifo' } as const;

const directHttp = new http.Agent(KEEP_ALIVE);
const directHttps = new https.Agent(KEEP_ALIVE);
const tunnels = new Map<string, Agent>();

const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy'] as const;

/** How to reach an address: what to hand to `node:http` or `node:https`. */
export interface Route {
  isSecure: boolean;
  options: RequestOptions;
  /** Headers for the proxy itself. */
  headers: Record<string, string>;
}

/**
 * The way to `url`: direct, through a tunnel (`https:`), or by asking the proxy for the whole URL (`http:`). The environment is read
 * on each call. Libraries load when a proxy variable is set. Throws `PROVIDER_BAD_URL` for an unusable address or proxy.
 */
export async function routeTo(url: URL, env: NodeJS.ProcessEnv = process.env): Promise<Route> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CodedError(PROVIDER_ERRORS.BAD_URL, `The address ${url.origin}${url.pathname} is not an http or https URL`);
  }
  const isSecure = url.protocol === 'https:';
  const proxy = await proxyFor(url, env);
  if (!proxy) return { isSecure, options: { ...target(url), agent: isSecure ? directHttps : directHttp }, headers: {} };
  if (isSecure) return { isSecure, options: { ...target(url), agent: await tunnelThrough(proxy) }, headers: {} };
  const proxyIsSecure = proxy.protocol === 'https:';
  return {
    isSecure: proxyIsSecure,
    options: { ...target(proxy), path: url.href, agent: proxyIsSecure ? directHttps : directHttp },
    headers: { host: url.host, ...credentials(proxy) },
  };
}

async function proxyFor(url: URL, env: NodeJS.ProcessEnv): Promise<URL | undefined> {
  if (!PROXY_VARIABLES.some((name) => env[name] || env[name.toUpperCase()])) return undefined;
  const { getProxyForUrl } = await import('proxy-from-env');
  const found = getProxyForUrl(url);
  if (!found) return undefined;
  let proxy: URL;
  try {
    proxy = new URL(found);
  } catch (cause) {
    // The value may hold a password: it is not repeated.
    throw new CodedError(PROVIDER_ERRORS.BAD_URL, `The proxy for ${url.host} is not a URL: check HTTPS_PROXY and HTTP_PROXY`, {
      data: { reason: messageOf(cause) },
    });
  }
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    throw new CodedError(
      PROVIDER_ERRORS.BAD_URL,
      `The proxy for ${url.host} has the scheme ${proxy.protocol}; only http: and https: proxies are supported`,
    );
  }
  return proxy;
}

async function tunnelThrough(proxy: URL): Promise<Agent> {
  const known = tunnels.get(proxy.href);
  if (known) return known;
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  // Typed by the library as an agent for `node:http` only; it tunnels TLS and is made for `node:https`.
  const agent = new HttpsProxyAgent(proxy.href, KEEP_ALIVE) as unknown as Agent;
  tunnels.set(proxy.href, agent);
  return agent;
}

function target(url: URL): RequestOptions {
  return {
    // Brackets belong to the URL of an IPv6 address, not to the address.
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: `${url.pathname}${url.search}`,
  };
}

function credentials({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
