import http from 'node:http';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { APIS, ask, fakeModel, KEY } from '../../support/fake-llm/ask.js';
import { startFakeLlm } from '../../support/fake-llm/server.js';

const PROXY_VARIABLES = [
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
];
const saved = new Map(PROXY_VARIABLES.map((name) => [name, process.env[name]]));

beforeEach(() => {
  for (const name of PROXY_VARIABLES) delete process.env[name];
});
afterEach(() => {
  for (const [name, value] of saved) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe.each(APIS)('%s: the connection', (api) => {
  it('is kept for the next request', async () => {
    await using llm = await startFakeLlm({ text: 'one' }, { text: 'two' }, { status: 429 }, { text: 'three' });
    const model = fakeModel(api, llm.url);
    for (let at = 0; at < 4; at++) await ask(model);
    expect(llm.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0]);
  });

  it('is replaced without a word when the server closed it in between', async () => {
    const { server, url, sockets } = await startOneShotServer(api);
    const model = fakeModel(api, url);
    expect((await ask(model)).message.stopReason).toBe('error');
    expect((await ask(model)).message).toMatchObject({ stopReason: 'error', errorMessage: '418 teapot' });
    expect(sockets()).toBe(2);
    server.close();
  });

  it('carries the key and the headers of the request, which hooks may change', async () => {
    await using llm = await startFakeLlm({ text: 'x' }, { text: 'x' });
    const model = fakeModel(api, llm.url);
    await ask(model, { headers: { 'X-Kit': 'literal' } });
    const [first] = llm.requests;
    expect(first?.path).toBe(
      { 'anthropic-messages': '/v1/messages', 'openai-completions': '/v1/chat/completions', 'openai-responses': '/v1/responses' }[
        api
      ],
    );
    expect(first?.headers).toMatchObject({
      'x-kit': 'literal',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/\/JS \d/),
    });
    const signed = api === 'anthropic-messages' ? { 'x-api-key': KEY } : { authorization: `Bearer ${KEY}` };
    expect(first?.headers).toMatchObject(signed);
    await ask(model, { apiKey: undefined, headers: { Authorization: 'Bearer of-a-hook' } });
    expect(llm.requests[1]?.headers.authorization).toBe('Bearer of-a-hook');
    expect(llm.requests[1]?.headers).not.toHaveProperty('x-api-key');
  });

  it('tells the hook about the response before the first event', async () => {
    await using llm = await startFakeLlm({ text: 'x', headers: { 'x-request-id': 'r-1' } });
    const order: unknown[] = [];
    await ask(fakeModel(api, llm.url), {
      onResponse: async ({ status, headers }) => {
        await Promise.resolve();
        order.push([status, headers['x-request-id']]);
      },
      onEvent: ({ type }) => void order.push(type),
    });
    expect(order.slice(0, 2)).toEqual([[200, 'r-1'], 'start']);
  });

  it('tells the hook about a refusal too, and what the provider said is still the error', async () => {
    await using llm = await startFakeLlm({ status: 400, headers: { 'x-kit': 'h1' } });
    const told: unknown[] = [];
    const { message } = await ask(fakeModel(api, llm.url), {
      onResponse: ({ status, headers }) => void told.push([status, headers['x-kit']]),
    });
    expect(told).toEqual([[400, 'h1']]);
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: expect.stringMatching(/^400 /) });
  });

  it('leaves out headers that a hook took away, its own among them', async () => {
    await using llm = await startFakeLlm({ text: 'x' });
    await ask(fakeModel(api, llm.url), {
      headers: { 'X-Gone': null, 'User-Agent': 'mine', 'X-Api-Key': null, Authorization: null, 'Anthropic-Beta': null },
    });
    const { headers = {} } = llm.requests[0] ?? {};
    expect(headers['user-agent']).toBe('mine');
    for (const name of ['x-gone', 'x-api-key', 'authorization', 'anthropic-beta']) expect(headers).not.toHaveProperty(name);
  });

  it('sends the payload that the hook returns, or changed in place', async () => {
    await using llm = await startFakeLlm({ text: 'x' }, { text: 'x' });
    const model = fakeModel(api, llm.url);
    await ask(model, { onPayload: () => ({ model: 'other', replaced: true }) });
    await ask(model, { onPayload: (payload) => void Object.assign(payload() as object, { temperature: 0.5 }) });
    expect(llm.requests[0]?.body).toEqual({ model: 'other', replaced: true });
    expect(llm.requests[1]?.body).toMatchObject({ model: 'fake-model', temperature: 0.5, stream: true });
  });

  it('goes through HTTP_PROXY, with the whole URL', async () => {
    await using llm = await startFakeLlm({ text: 'by proxy' });
    const proxy = await startProxy();
    process.env.http_proxy = proxy.url.replace('http://', 'http://me:p%40ss@');
    const { message } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ text: 'by proxy' }] });
    expect(proxy.seen).toEqual([`POST ${llm.url}${llm.requests[0]?.path} Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    proxy.close();
  });

  it('goes through a tunnel of HTTPS_PROXY', async () => {
    const proxy = await startProxy();
    process.env.HTTPS_PROXY = proxy.url;
    const { message, failure } = await ask(fakeModel(api, 'https://model.invalid:8443'));
    // The proxy of this test opens no tunnel: what it was asked for is the point.
    expect(proxy.seen).toEqual(['CONNECT model.invalid:8443']);
    expect(message.stopReason).toBe('error');
    expect(failure).toBeDefined();
    proxy.close();
  });

  it('goes past the proxy where NO_PROXY says so', async () => {
    await using llm = await startFakeLlm({ text: 'direct' });
    process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    process.env.no_proxy = 'example.com,127.0.0.1';
    expect((await ask(fakeModel(api, llm.url))).message).toMatchObject({ content: [{ text: 'direct' }] });
  });

  it('does not repeat the password of an unusable proxy', async () => {
    process.env.HTTP_PROXY = 'socks5://me:secret-word@127.0.0.1:9';
    const { message } = await ask(fakeModel(api, 'http://127.0.0.1:8'));
    expect(message.errorMessage).toContain('socks5:');
    expect(message.errorMessage).not.toContain('secret-word');
  });
});

interface Proxy {
  url: string;
  seen: string[];
  close(): void;
}

/** Forwards plain requests, and notes what it was asked for. */
async function startProxy(): Promise<Proxy> {
  const seen: string[] = [];
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const forwarded = http.request(request.url ?? '', { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  server.on('connect', (request, socket) => {
    seen.push(`${request.method} ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  return {
    url: await listen(server),
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Promises to keep its connection, and resets it when it is used a second time. */
async function startOneShotServer(_api: string): Promise<{ server: net.Server; url: string; sockets: () => number }> {
  let count = 0;
  const body = 'teapot';
  const head = `HTTP/1.1 418 Teapot\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: keep-alive\r\n\r\n`;
  const server = net.createServer((socket) => {
    count++;
    let isUsed = false;
    socket.on('error', () => {
      // Resetting it is what this server is for.
    });
    socket.on('data', (data) => {
      if (isUsed) socket.resetAndDestroy();
      else if (data.includes('}')) {
        isUsed = true;
        socket.write(head + body);
      }
    });
  });
  return { server, url: await listen(server), sockets: () => count };
}

async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}
