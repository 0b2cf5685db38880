import type { ModelFailure } from '../protocol/model-stream.js';
import { PROVIDER_ERRORS } from './errors.js';

export type FailureKind = ModelFailure['kind'];

/** What codes mean, whoever uses them: of Node's sockets, our own, and `code`, `type` or `status` of providers' error bodies. */
export const KIND_OF_CODE: Readonly<Record<string, FailureKind>> = {
  // Connections.
  ECONNRESET: 'transient',
  ECONNREFUSED: 'transient',
  ECONNABORTED: 'transient',
  EPIPE: 'transient',
  ETIMEDOUT: 'transient',
  ESOCKETTIMEDOUT: 'transient',
  EHOSTUNREACH: 'transient',
  EHOSTDOWN: 'transient',
  ENETUNREACH: 'transient',
  ENETDOWN: 'transient',
  ENETRESET: 'transient',
  EAI_AGAIN: 'transient',
  // A laptop without a network says this too.
  ENOTFOUND: 'transient',
  ERR_STREAM_PREMATURE_CLOSE: 'transient',
  UND_ERR_SOCKET: 'transient',
  UND_ERR_CONNECT_TIMEOUT: 'transient',
  UND_ERR_HEADERS_TIMEOUT: 'transient',
  UND_ERR_BODY_TIMEOUT: 'transient',
  HPE_INVALID_CONSTANT: 'fatal',
  // Certificates do not become valid by asking again.
  CERT_HAS_EXPIRED: 'fatal',
  CERT_NOT_YET_VALID: 'fatal',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'fatal',
  SELF_SIGNED_CERT_IN_CHAIN: 'fatal',
  UNABLE_TO_GET_ISSUER_CERT: 'fatal',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'fatal',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'fatal',
  ERR_TLS_CERT_ALTNAME_INVALID: 'fatal',
  ERR_INVALID_URL: 'fatal',
  // Our own.
  [PROVIDER_ERRORS.STREAM_ENDED]: 'transient',
  [PROVIDER_ERRORS.STREAM_SILENT]: 'transient',
  [PROVIDER_ERRORS.STREAM_MALFORMED]: 'fatal',
  [PROVIDER_ERRORS.DECLINED]: 'fatal',
  [PROVIDER_ERRORS.BAD_URL]: 'fatal',
  // The context did not fit.
  context_length_exceeded: 'overflow',
  context_window_exceeded: 'overflow',
  model_context_window_exceeded: 'overflow',
  exceed_context_size_error: 'overflow',
  request_too_large: 'overflow',
  string_above_max_length: 'overflow',
  // Money and plans: asking again costs nothing and gives nothing.
  insufficient_quota: 'fatal',
  billing_hard_limit_reached: 'fatal',
  billing_not_active: 'fatal',
  billing_error: 'fatal',
  insufficient_balance: 'fatal',
  account_deactivated: 'fatal',
  quota_exceeded: 'fatal',
  exceeded_current_quota_error: 'fatal',
  // The request itself.
  invalid_request_error: 'fatal',
  invalid_api_key: 'fatal',
  authentication_error: 'fatal',
  permission_error: 'fatal',
  not_found_error: 'fatal',
  model_not_found: 'fatal',
  content_filter: 'fatal',
  content_policy_violation: 'fatal',
  invalid_prompt: 'fatal',
  UNAUTHENTICATED: 'fatal',
  PERMISSION_DENIED: 'fatal',
  // The provider has trouble.
  overloaded_error: 'transient',
  rate_limit_error: 'transient',
  rate_limit_exceeded: 'transient',
  engine_overloaded_error: 'transient',
  api_error: 'transient',
  server_error: 'transient',
  internal_error: 'transient',
  internal_server_error: 'transient',
  timeout_error: 'transient',
  service_unavailable: 'transient',
  service_unavailable_error: 'transient',
  upstream_error: 'transient',
  network_error: 'transient',
  vector_store_timeout: 'transient',
  UNAVAILABLE: 'transient',
  INTERNAL: 'transient',
  DEADLINE_EXCEEDED: 'transient',
};

/** Codes too general to decide before the status and the wording: they name a class of errors that holds both kinds. */
export const VAGUE_CODES: ReadonlySet<string> = new Set(['invalid_request_error', 'api_error', 'server_error', 'internal_error']);

/** 4xx that another try may pass. All others of their class do not. */
export const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 409, 425, 429, 499]);
/** 5xx that say "never", not "not now". */
export const FATAL_5XX: ReadonlySet<number> = new Set([501, 505, 511]);

/** Statuses whose body may say that the context did not fit: what "bad request" covers, and servers that call it their own error. */
export const OVERFLOW_STATUSES: ReadonlySet<number> = new Set([200, 400, 413, 422, 500]);

/** How providers say that the context did not fit, where no code does. */
export const OVERFLOW_WORDINGS: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic; Z.ai; MiniMax
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /request exceeds the maximum size/i, // Anthropic, 413
  /maximum context length/i, // OpenAI, OpenRouter, DeepSeek, vLLM, Mistral, Together
  /exceeds the (?:model's )?context window|exceeds? the (?:model'?s )?maximum context/i, // OpenAI Responses; Fireworks
  /reduce the length of (?:the )?(?:messages|prompt|input)/i, // OpenAI, Groq
  /input token count.*exceeds the maximum/i, // Google
  /maximum prompt length is \d+/i, // xAI
  /request too large for model.*(?:tokens per minute|TPM)/is, // Groq: one request above a minute's budget never passes
  /exceeds? the available context size/i, // llama.cpp
  /prompt too long;? exceed/i, // Ollama
  /(?:number of tokens to keep|tokens to keep from the initial prompt).*context length/is, // LM Studio
  /(?:greater|larger) than the context (?:length|window)/i, // LM Studio
  /context (?:length|window|size)(?: limit)? (?:is )?exceeded|exceed(?:s|ed)? (?:the )?context (?:length|window|size|limit)/i,
  /too large for model with \d+ maximum context/i, // Mistral
  /longer than the model'?s (?:context|maximum)/i, // Together, SGLang
  /range of input length should be/i, // Qwen (DashScope)
  /total tokens of (?:image|message).*exceed/is, // Moonshot, Volcengine
  /exceed(?:ed|s)? model token limit/i, // Moonshot
  /please reduce (?:your|the) (?:prompt|input|context)/i, // Cerebras
  /current length is \d+ while limit is \d+/i, // Cerebras
  /input is too long for (?:requested|this) model/i, // Bedrock, Copilot
];

/** A rate limit that no wait of ours ends: plans, credits and budgets, however the status calls it. */
export const EXHAUSTED_WORDINGS: readonly RegExp[] = [
  /insufficient (?:quota|balance|credits?|funds)/i,
  /exceeded your current quota/i,
  /credit balance is too low|out of credits|no credits|run out of credits|requires more credits/i,
  /billing (?:hard )?limit|billing details|payment required|spend(?:ing)? (?:limit|cap)/i,
  /usage limit (?:has been )?reached|monthly (?:usage|quota|limit)|weekly limit|daily limit/i,
  /extra usage is required/i,
  /limit: 0\b/, // Google: the plan has none of it
];

/** Trouble that passes, for errors that come without any status or code. */
export const TRANSIENT_WORDINGS: readonly RegExp[] = [
  /overloaded|rate.?limit|too many requests|try again|temporarily|capacity/i,
  /service unavailable|bad gateway|gateway timeout|internal (?:server )?error|upstream/i,
  /connection (?:error|closed|reset|refused|lost)|socket hang up|terminated|premature close|network|fetch failed|other side closed/i,
  /timed? ?out/i,
];
