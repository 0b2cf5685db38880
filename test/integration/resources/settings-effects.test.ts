import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, runPi, type Sandbox } from '../../support/pi-process.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ASK = ['-p', '--no-session', '--provider', 'fake', '--model', 'plain'];

let llm: FakeLlm;
let sandbox: Sandbox;

beforeEach(async () => {
  llm = await startFakeLlm({ text: 'done' }, { text: 'done' });
  sandbox = createSandbox({ providers: fakeProviders(llm.url) });
});
afterEach(async () => {
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

const settings = (value: object): void => writeFileSync(path.join(sandbox.agentDir, 'settings.json'), JSON.stringify(value));

it('images.blockImages keeps images from every model', async () => {
  writeFileSync(path.join(sandbox.cwd, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
  await runPi(sandbox, [...ASK, '@pixel.png', 'look']);
  expect(llm.requests[0]?.raw).toContain(PIXEL);
  settings({ images: { blockImages: true } });
  expect(await runPi(sandbox, [...ASK, '@pixel.png', 'look'])).toMatchObject({ code: 0 });
  expect(llm.requests[1]?.raw).not.toContain(PIXEL);
  expect(llm.requests[1]?.raw).toContain('image omitted');
});

it('httpProxy is the way to the provider, unless the environment names another', async () => {
  const through: string[] = [];
  const proxy = http.createServer((request, response) => {
    through.push(request.url ?? '');
    request.pipe(
      http.request(request.url ?? '', { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // an object: it listens on TCP
  settings({ httpProxy: url, retry: { enabled: false } });
  sandbox.env.NO_PROXY = '';
  expect(await runPi(sandbox, [...ASK, 'hello'])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(through).toEqual([expect.stringContaining(llm.url)]);
  const nowhere = await runPi(sandbox, [...ASK, 'hello'], { env: { http_proxy: 'http://127.0.0.1:1' } });
  expect(nowhere.code).toBe(1);
  expect(through).toHaveLength(1);
  proxy.close();
});

it('retry.provider.timeoutMs: an answer that does not begin in time is asked for again; one that has begun may take its time', async () => {
  settings({ retry: { baseDelayMs: 1, maxRetries: 1, provider: { timeoutMs: 300 } } });
  await using slow = await startFakeLlm(
    { text: 'never', hang: 'start' },
    { text: 'late, but whole', hold: new Promise((resolve) => setTimeout(resolve, 800)) },
    { text: 'never', hang: 'start' },
    { text: 'never', hang: 'start' },
  );
  writeFileSync(path.join(sandbox.agentDir, 'models.json'), JSON.stringify({ providers: fakeProviders(slow.url) }));
  expect(await runPi(sandbox, [...ASK, 'hello'])).toMatchObject({ code: 0, stdout: 'late, but whole\n' });
  const failed = await runPi(sandbox, [...ASK, 'hello']);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('retry.provider.timeoutMs') });
  expect(slow.requests).toHaveLength(4);
});
