import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, createSandbox, type Sandbox } from '../../support/pi-process.js';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const run = promisify(execFile);

const ANSWER = [
  { id: 'c', choices: [{ delta: { content: 'over TLS' }, finish_reason: null }] },
  { id: 'c', choices: [{ delta: {}, finish_reason: 'stop' }] },
];

describe('TLS, with the program as it is shipped', () => {
  const secure = https.createServer(
    { key: readFileSync(fixture('localhost.key')), cert: readFileSync(fixture('localhost.pem')) },
    (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${ANSWER.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
    },
  );
  const tunnels: string[] = [];
  const proxy = http.createServer();
  proxy.on('connect', (request, client: net.Socket, head) => {
    tunnels.push(request.url ?? '');
    const upstream = net.connect(portOf(secure), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    // Either side may leave first.
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  let sandbox: Sandbox;

  beforeAll(async () => {
    for (const server of [secure, proxy]) {
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
    }
    const provider = {
      baseUrl: `https://localhost:${portOf(secure)}/v1`,
      api: 'openai-completions',
      apiKey: 'k',
      models: [{ id: 'plain' }],
    };
    sandbox = createSandbox({ settings: { retry: { enabled: false } }, providers: { fake: provider } });
  });
  afterAll(() => {
    for (const server of [secure, proxy]) {
      server.closeAllConnections();
      server.close();
    }
    sandbox.remove();
  });

  const ask = (env: NodeJS.ProcessEnv) => {
    const child = run(process.execPath, [CLI, '-p', '--no-session', '--provider', 'fake', '--model', 'plain', 'hi'], {
      cwd: sandbox.cwd,
      env: { ...sandbox.env, ...env },
    });
    child.child.stdin?.end();
    return child;
  };

  it('refuses a certificate that nobody vouches for, and says so', async () => {
    await expect(ask({})).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/self-signed certificate/) });
  });

  it('takes the authorities of NODE_EXTRA_CA_CERTS', async () => {
    expect((await ask({ NODE_EXTRA_CA_CERTS: fixture('localhost.pem') })).stdout).toBe('over TLS\n');
    expect(tunnels).toEqual([]);
  });

  it('tunnels through HTTPS_PROXY', async () => {
    const env = { NODE_EXTRA_CA_CERTS: fixture('localhost.pem'), https_proxy: `http://127.0.0.1:${portOf(proxy)}` };
    expect((await ask(env)).stdout).toBe('over TLS\n');
    expect(tunnels).toEqual([`localhost:${portOf(secure)}`]);
  });
});

const portOf = (server: net.Server): number => (server.address() as net.AddressInfo).port; // it listens on TCP
