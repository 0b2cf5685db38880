import { describe, expect, it } from 'vitest';
import { classifyFailure, type FailureFacts } from '../../../../core/providers/failure.js';

type Kind = 'transient' | 'overflow' | 'fatal';
type Row = readonly [kind: Kind, who: string, status: number | undefined, body: unknown, code?: string];

const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, code, param: null },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const google = (code: number, status: string, message: string, details: object[] = []) => [
  { error: { code, status, message, details } },
];

/** What providers really answer. A status of undefined: reported within a stream that began with 200, or no response at all. */
const TABLE: readonly Row[] = [
  // The service has trouble, or wants us slower.
  [
    'transient',
    'Anthropic, rate limit',
    429,
    anthropic('rate_limit_error', 'This request would exceed your rate limit of 40,000 input tokens per minute.'),
  ],
  ['transient', 'Anthropic, overloaded', 529, anthropic('overloaded_error', 'Overloaded')],
  ['transient', 'Anthropic, overloaded mid-stream', undefined, anthropic('overloaded_error', 'Overloaded')],
  ['transient', 'Anthropic, internal', 500, anthropic('api_error', 'Internal server error')],
  ['transient', 'Anthropic, internal mid-stream', undefined, anthropic('api_error', 'Internal server error')],
  ['transient', 'Anthropic, timeout', 504, anthropic('timeout_error', 'Request timed out')],
  [
    'transient',
    'OpenAI, rate limit',
    429,
    openai(
      'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  [
    'transient',
    'OpenAI, engine overloaded',
    503,
    openai('The engine is currently overloaded, please try again later', null, 'server_error'),
  ],
  [
    'transient',
    'OpenAI, server error',
    500,
    openai('The server had an error while processing your request. Sorry about that!', null, 'server_error'),
  ],
  [
    'transient',
    'OpenAI Responses, failed',
    undefined,
    { error: { code: 'server_error', message: 'An error occurred while processing your request.' } },
  ],
  [
    'transient',
    'OpenAI Responses, rate limit in stream',
    undefined,
    { error: { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5' } },
  ],
  [
    'transient',
    'Google, per minute',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details. Please retry in 12.5s.',
    ),
  ],
  [
    'transient',
    'Google, per minute, details',
    429,
    google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '31s' },
    ]),
  ],
  ['transient', 'Google, overloaded', 503, google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')],
  ['transient', 'Google, internal', 500, google(500, 'INTERNAL', 'An internal error has occurred.')],
  [
    'transient',
    'Groq, rate limit',
    429,
    openai(
      'Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000. Please try again in 7m12.5s.',
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  ['transient', 'Groq, over capacity', 503, openai('Service unavailable: over capacity', null, 'internal_server_error')],
  ['transient', 'xAI, rate limit', 429, { code: 'Some resource has been exhausted', error: 'Too many requests' }],
  ['transient', 'OpenRouter, upstream', 502, { error: { message: 'Provider returned error', code: 502 } }],
  [
    'transient',
    'OpenRouter, upstream in stream',
    undefined,
    { error: { message: 'Upstream error from Chutes: terminated', code: 502 } },
  ],
  [
    'transient',
    'OpenRouter, free rate limit',
    429,
    { error: { message: 'Rate limit exceeded: free-models-per-min.', code: 429 } },
  ],
  [
    'transient',
    'Mistral, capacity',
    429,
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
  ],
  [
    'transient',
    'DeepSeek, busy',
    503,
    { error: { message: 'The server is overloaded due to high traffic', type: 'service_unavailable_error' } },
  ],
  [
    'transient',
    'Moonshot, overloaded',
    429,
    { error: { type: 'engine_overloaded_error', message: 'The engine is currently overloaded, please try again later' } },
  ],
  [
    'transient',
    'Cerebras, queue',
    429,
    {
      message: "We're experiencing high traffic right now! Please try again soon.",
      type: 'too_many_requests_error',
      code: 'queue_exceeded',
    },
  ],
  ['transient', 'Ollama, loading', 503, { error: 'server busy, please try again. maximum pending requests exceeded' }],
  ['transient', 'llama.cpp, loading', 503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }],
  ['transient', 'Cloudflare, bad gateway', 502, '<html><head><title>502 Bad Gateway</title></head></html>'],
  ['transient', 'Cloudflare, origin timeout', 524, '<html>A timeout occurred</html>'],
  ['transient', 'a gateway, request timeout', 408, ''],
  ['transient', 'a gateway, conflict', 409, openai('Conflict: the resource is locked')],
  ['transient', 'a gateway, too early', 425, ''],
  // The connection.
  ['transient', 'reset', undefined, undefined, 'ECONNRESET'],
  ['transient', 'refused', undefined, undefined, 'ECONNREFUSED'],
  ['transient', 'timed out', undefined, undefined, 'ETIMEDOUT'],
  ['transient', 'broken pipe', undefined, undefined, 'EPIPE'],
  ['transient', 'DNS, for now', undefined, undefined, 'EAI_AGAIN'],
  ['transient', 'no network', undefined, undefined, 'ENETUNREACH'],
  ['transient', 'early end', undefined, undefined, 'PROVIDER_STREAM_ENDED'],
  ['transient', 'silence', undefined, undefined, 'PROVIDER_STREAM_SILENT'],
  ['fatal', 'malformed stream', undefined, undefined, 'PROVIDER_STREAM_MALFORMED'],
  ['fatal', 'expired certificate', undefined, undefined, 'CERT_HAS_EXPIRED'],
  ['fatal', 'unknown issuer', undefined, undefined, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  // The request, the key, the account.
  [
    'fatal',
    'Anthropic, bad request',
    400,
    anthropic('invalid_request_error', 'messages.1.content: Input should be a valid list'),
  ],
  ['fatal', 'Anthropic, key', 401, anthropic('authentication_error', 'invalid x-api-key')],
  ['fatal', 'Anthropic, permission', 403, anthropic('permission_error', 'Your API key does not have permission')],
  ['fatal', 'Anthropic, model', 404, anthropic('not_found_error', 'model: claude-none')],
  [
    'fatal',
    'Anthropic, credit',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
  ],
  [
    'fatal',
    'Anthropic, long context without a plan for it',
    429,
    anthropic('rate_limit_error', 'Extra usage is required for long context requests.'),
  ],
  [
    'fatal',
    'Anthropic, max_tokens',
    400,
    anthropic('invalid_request_error', 'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens'),
  ],
  [
    'fatal',
    'OpenAI, quota',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  ],
  ['fatal', 'OpenAI, hard limit', 400, openai('Billing hard limit has been reached', 'billing_hard_limit_reached')],
  ['fatal', 'OpenAI, key', 401, openai('Incorrect API key provided: sk-***.', 'invalid_api_key')],
  ['fatal', 'OpenAI, model', 404, openai('The model `gpt-none` does not exist', 'model_not_found')],
  [
    'fatal',
    'OpenAI, unsupported',
    400,
    openai("Unsupported parameter: 'max_tokens' is not supported with this model.", 'unsupported_parameter'),
  ],
  [
    'fatal',
    'OpenAI, country',
    403,
    openai('Country, region, or territory not supported', 'unsupported_country_region_territory'),
  ],
  [
    'fatal',
    'OpenAI Responses, policy in stream',
    undefined,
    { error: { code: 'invalid_prompt', message: 'Invalid prompt: your prompt was flagged' } },
  ],
  ['fatal', 'Google, key', 400, google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.')],
  [
    'fatal',
    'Google, nothing in the plan',
    429,
    google(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for metric: free_tier_requests, limit: 0, model: gemini-pro'),
  ],
  [
    'fatal',
    'OpenRouter, credits',
    402,
    { error: { message: 'This request requires more credits, or fewer max_tokens.', code: 402 } },
  ],
  [
    'fatal',
    'DeepSeek, balance',
    402,
    { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
  ],
  [
    'fatal',
    'Moonshot, quota',
    429,
    { error: { type: 'exceeded_current_quota_error', message: 'Your account is not active, current state: arrears' } },
  ],
  [
    'fatal',
    'Mistral, unprocessable',
    422,
    { object: 'error', message: { detail: [{ msg: 'Field required' }] }, type: 'invalid_request_error' },
  ],
  ['fatal', 'Ollama, model', 404, { error: 'model "x" not found, try pulling it first' }],
  ['fatal', 'Ollama, no tools', 400, { error: 'registry.ollama.ai/library/gemma does not support tools' }],
  ['fatal', 'a proxy, no credentials', 407, ''],
  ['fatal', 'a proxy, not there', 405, 'Method Not Allowed'],
  ['fatal', 'not implemented', 501, ''],
  // The context did not fit.
  ['overflow', 'Anthropic', 400, anthropic('invalid_request_error', 'prompt is too long: 213462 tokens > 200000 maximum')],
  [
    'overflow',
    'Anthropic, with the answer',
    400,
    anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
  ],
  ['overflow', 'Anthropic, bytes', 413, anthropic('request_too_large', 'Request exceeds the maximum size')],
  [
    'overflow',
    'OpenAI, completions',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
      'context_length_exceeded',
    ),
  ],
  [
    'overflow',
    'OpenAI, Responses',
    400,
    openai(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'context_length_exceeded',
    ),
  ],
  [
    'overflow',
    'OpenAI, Responses, in stream',
    undefined,
    { error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' } },
  ],
  [
    'overflow',
    'Google',
    400,
    google(400, 'INVALID_ARGUMENT', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'),
  ],
  ['overflow', 'Groq', 400, openai('Please reduce the length of the messages or completion.', 'context_length_exceeded')],
  [
    'overflow',
    'Groq, more than a minute allows',
    413,
    openai(
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000',
      'rate_limit_exceeded',
      'tokens',
    ),
  ],
  [
    'overflow',
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  ],
  [
    'overflow',
    'OpenRouter',
    400,
    {
      error: {
        message: "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens",
        code: 400,
      },
    },
  ],
  [
    'overflow',
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 140000 tokens, too large for model with 131072 maximum context length',
      type: 'invalid_request_error',
    },
  ],
  [
    'overflow',
    'DeepSeek',
    400,
    openai("This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"),
  ],
  [
    'overflow',
    'Together',
    422,
    openai(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193; your prompt is longer than the model's context length",
    ),
  ],
  ['overflow', 'Fireworks', 400, openai('The prompt is too long: 140000, model maximum context length: 131071')],
  [
    'overflow',
    'Cerebras',
    400,
    {
      message: 'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  ],
  ['overflow', 'Qwen', 400, openai('Range of input length should be [1, 129024]', 'invalid_parameter_error')],
  ['overflow', 'Moonshot', 400, openai('Invalid request: Your request exceeded model token limit: 131072')],
  [
    'overflow',
    'vLLM',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      type: 'BadRequestError',
      code: 400,
    },
  ],
  [
    'overflow',
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
        type: 'exceed_context_size_error',
      },
    },
  ],
  [
    'overflow',
    'llama.cpp, older',
    500,
    {
      error: {
        code: 500,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'server_error',
      },
    },
  ],
  ['overflow', 'Ollama', 400, { error: 'prompt too long; exceeded max context length by 500 tokens' }],
  [
    'overflow',
    'LM Studio',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length',
    },
  ],
  [
    'overflow',
    'LM Studio, in stream',
    undefined,
    {
      error: {
        message:
          'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. The number of tokens to keep from the initial prompt is greater than the context length',
      },
    },
  ],
  ['overflow', 'nginx, bytes', 413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
];

describe('what kind of failure an error is', () => {
  it('G32: is decided for a table of at least 60 real errors', () => {
    expect(TABLE.length).toBeGreaterThanOrEqual(60);
    expect(new Set(TABLE.map(([, who, status]) => `${who} ${status}`)).size).toBe(TABLE.length);
  });

  it.each(TABLE)('G32: %s: %s, status %s', (kind, _who, status, body, code) => {
    expect(classifyFailure({ status, body, code }).kind).toBe(kind);
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    expect(classifyFailure({ status, body: text, code }).kind).toBe(kind);
  });

  it('G32: no 4xx but those that pass with time is transient, whatever its words', () => {
    const body = 'overloaded, rate limit, try again later, timeout';
    const transient = Array.from({ length: 100 }, (_, at) => 400 + at).filter(
      (status) => classifyFailure({ status, body }).kind === 'transient',
    );
    expect(transient).toEqual([408, 409, 425, 429, 499]);
  });

  it.each([
    ['rate limit of 5', 'transient'],
    ['socket hang up', 'transient'],
    ['The operation timed out', 'transient'],
    ['prompt is too long', 'overflow'],
    ['a bug of ours', 'fatal'],
  ] as const)('takes the words of a plain error last: %s', (message, kind) => {
    expect(classifyFailure(new Error(message)).kind).toBe(kind);
  });

  it('looks at the cause of what was thrown', () => {
    const cause = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    expect(classifyFailure(new Error('Connection error.', { cause }))).toEqual({ kind: 'transient', code: 'ECONNRESET' });
  });

  it.each([undefined, null, 42, 'overloaded', [], {}, { status: 'x', headers: null }])(
    'takes anything that was thrown: %j',
    (thrown) => {
      expect(classifyFailure(thrown).kind).toMatch(/transient|fatal/);
    },
  );
});

describe('how long the provider wants to be left alone', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const wait = (facts: FailureFacts): number | undefined => classifyFailure({ status: 429, ...facts }, now).retryAfterMs;

  it.each([
    [{ headers: { 'retry-after': '20' } }, 20_000],
    [{ headers: { 'Retry-After': '1.5' } }, 1500],
    [{ headers: { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' } }, 60_000],
    [{ headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' } }, 0],
    [{ headers: { 'retry-after-ms': '250', 'retry-after': '9' } }, 250],
    [{ headers: new Map([['retry-after', '3']]) }, 3000],
    [{ headers: { 'retry-after': 'soon' } }, undefined],
    [{ body: 'Please try again in 7m12.5s.' }, 432_500],
    [{ body: 'Please try again in 500ms.' }, 500],
    [{ body: { error: { details: [{ retryDelay: '31s' }] } } }, 31_000],
    [{ body: 'Please retry in 12.5s.' }, 12_500],
    [{}, undefined],
  ] as const)('%j: %s ms', (facts, expected) => {
    expect(wait(facts)).toBe(expected);
  });

  it('is left out where no other try is made', () => {
    expect(classifyFailure({ status: 401, headers: { 'retry-after': '20' } })).toEqual({ kind: 'fatal', status: 401 });
  });
});
