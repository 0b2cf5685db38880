import { describe, expect, it } from 'vitest';
import { APIS, ask, fakeModel, KEY, steps } from '../../support/fake-llm/ask.js';
import { startFakeLlm } from '../../support/fake-llm/server.js';

describe.each(APIS)('%s: answers that fail', (api) => {
  it.each([
    [400, 'fatal'],
    [401, 'fatal'],
    [403, 'fatal'],
    [404, 'fatal'],
    [422, 'fatal'],
    [408, 'transient'],
    [429, 'transient'],
    [500, 'transient'],
    [503, 'transient'],
    [529, 'transient'],
  ] as const)('G32: a refusal with %i is %s, and says status and body', async (status, kind) => {
    await using llm = await startFakeLlm({ status, body: { error: { message: "the provider's own words" } } });
    const { message, events, failure } = await ask(fakeModel(api, llm.url));
    expect(steps(events)).toEqual(['start']);
    expect(message).toMatchObject({
      stopReason: 'error',
      content: [],
      errorMessage: `${status} {"error":{"message":"the provider's own words"}}`,
    });
    expect(failure).toMatchObject({ kind, status });
    expect(llm.requests).toHaveLength(1);
  });

  it('passes on how long the provider wants to be left alone', async () => {
    await using llm = await startFakeLlm({ status: 429, headers: { 'retry-after': '7' } });
    expect((await ask(fakeModel(api, llm.url))).failure).toMatchObject({ kind: 'transient', retryAfterMs: 7000 });
  });

  it('reduces an error page to its title', async () => {
    const body = '<!DOCTYPE html><html><head><title>502\n Bad Gateway</title></head><body>…</body></html>';
    await using llm = await startFakeLlm({ status: 502, body, headers: { 'content-type': 'text/html' } });
    expect((await ask(fakeModel(api, llm.url))).message.errorMessage).toBe('502 502 Bad Gateway');
  });

  it('keeps keys and secret headers out of error texts, whatever the provider repeats', async () => {
    const secret = 'Bearer very-secret-value';
    await using llm = await startFakeLlm({ status: 401, body: { error: { message: `bad key ${KEY} and very-secret-value` } } });
    const { message } = await ask(fakeModel(api, llm.url), { headers: { 'x-proxy-token': secret } });
    expect(message.errorMessage).toBe('401 {"error":{"message":"bad key *** and ***"}}');
  });

  it('keeps the partial text of a dropped connection, which is worth another try', async () => {
    await using llm = await startFakeLlm({ text: 'abcdef', dropMidStream: true });
    const { message, events, failure } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'error', content: [{ text: 'abcd' }] });
    expect(message.errorMessage).toBe('The provider ended the stream before the answer was complete');
    expect(failure).toMatchObject({ kind: 'transient', code: 'PROVIDER_STREAM_ENDED' });
    expect(steps(events)).toEqual(['start', 'text_start 0', 'text_delta 0', 'text_delta 0']);
  });

  it.each(['', ': comment\n\n', 'data: [DONE]\n\n'])('takes a stream that ends early (%j) for no answer', async (raw) => {
    await using llm = await startFakeLlm({ raw });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'error', content: [] });
    expect(failure).toMatchObject({ kind: 'transient', code: 'PROVIDER_STREAM_ENDED' });
  });

  it('reports an event that is not JSON, and keeps what came before', async () => {
    await using llm = await startFakeLlm({ text: 'abcdef', malformed: true });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'error', content: [{ text: 'abcd' }] });
    expect(message.errorMessage).toContain('not JSON');
    expect(failure).toMatchObject({ kind: 'fatal', code: 'PROVIDER_STREAM_MALFORMED' });
  });

  it('reports a page in place of a stream, as behind a wrong address', async () => {
    await using llm = await startFakeLlm({ raw: '<html>hello</html>', headers: { 'content-type': 'text/html' } });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(message.errorMessage).toContain('text/html');
    expect(failure).toMatchObject({ kind: 'fatal' });
  });

  it('G31: abort closes the connection at once and keeps the partial text', async () => {
    await using llm = await startFakeLlm({ text: 'partial', chunks: 1, hang: true });
    const abort = new AbortController();
    const { message, failure } = await ask(fakeModel(api, llm.url), {
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === 'text_delta') abort.abort();
      },
    });
    expect(message).toMatchObject({
      stopReason: 'aborted',
      errorMessage: expect.stringContaining('aborted'),
      content: [{ text: 'partial' }],
    });
    expect(failure).toBeUndefined();
    expect(await (await llm.request(0)).closed).toBe(true);
  });

  it('G31: abort before the first byte closes the connection too', async () => {
    await using llm = await startFakeLlm({ hang: 'start' });
    const abort = new AbortController();
    const asked = ask(fakeModel(api, llm.url), { signal: abort.signal });
    const request = await llm.request(0);
    abort.abort();
    expect((await asked).message).toMatchObject({ stopReason: 'aborted', content: [] });
    expect(await request.closed).toBe(true);
  });

  it('sends nothing for a request that is already aborted', async () => {
    await using llm = await startFakeLlm({ text: 'x' });
    const { message, events } = await ask(fakeModel(api, llm.url), { signal: AbortSignal.abort() });
    expect(message.stopReason).toBe('aborted');
    expect(steps(events)).toEqual(['start']);
    expect(llm.requests).toEqual([]);
  });

  it.each(['start', true] as const)('gives up on a silent stream (hang: %s) and names the setting', async (hang) => {
    await using llm = await startFakeLlm({ text: 'partial', hang });
    const { message, failure } = await ask(fakeModel(api, llm.url), { idleTimeoutMs: 300 });
    expect(message.stopReason).toBe('error');
    expect(message.errorMessage).toBe('The provider sent nothing for 0.3 s (streamIdleTimeoutMs)');
    expect(failure).toMatchObject({ kind: 'transient', code: 'PROVIDER_STREAM_SILENT' });
    expect(await (await llm.request(0)).closed).toBe(true);
  });

  it('reports a refused connection with its code', async () => {
    const { message, failure } = await ask(fakeModel(api, 'http://127.0.0.1:9'));
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: expect.stringContaining('ECONNREFUSED') });
    expect(failure).toMatchObject({ kind: 'transient', code: 'ECONNREFUSED' });
  });

  it.each(['not a url', 'ftp://example.com'])('reports the address %s as unusable', async (baseUrl) => {
    const { message, failure } = await ask(fakeModel(api, '', { baseUrl }));
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: expect.stringContaining('URL') });
    expect(failure?.kind).toBe('fatal');
  });

  it('answers with an error when a hook throws', async () => {
    await using llm = await startFakeLlm({ text: 'x' });
    const { message } = await ask(fakeModel(api, llm.url), {
      onPayload: () => {
        throw new Error('the hook broke');
      },
    });
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: 'the hook broke' });
    expect(llm.requests).toEqual([]);
  });
});

describe('errors that a provider reports within its stream', () => {
  const error = (type: string, message: string): string => JSON.stringify({ type: 'error', error: { type, message } });
  it.each([
    ['anthropic-messages', `event: error\ndata: ${error('overloaded_error', 'Overloaded')}\n\n`, 'transient', 'Overloaded'],
    [
      'anthropic-messages',
      `event: error\ndata: ${error('invalid_request_error', 'prompt is too long: 5 tokens')}\n\n`,
      'overflow',
      'too long',
    ],
    ['openai-completions', 'data: {"error":{"message":"Upstream fell over","code":502}}\n\n', 'transient', 'Upstream'],
    ['openai-completions', 'data: {"error":{"message":"no money","code":"insufficient_quota"}}\n\n', 'fatal', 'no money'],
    [
      'openai-responses',
      'data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"An error occurred"}}}\n\n',
      'transient',
      'An error occurred',
    ],
    [
      'openai-responses',
      'data: {"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window"}\n\n',
      'overflow',
      'exceeds',
    ],
  ] as const)('%s: %s is %s', async (api, raw, kind, words) => {
    await using llm = await startFakeLlm({ raw });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'error', errorMessage: expect.stringContaining(words) });
    expect(failure?.kind).toBe(kind);
  });
});
