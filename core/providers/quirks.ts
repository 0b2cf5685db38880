import type { Model } from '../protocol/model.js';

export const THINKING_FORMATS = [
  'openai',
  'openrouter',
  'deepseek',
  'together',
  'baseten',
  'zai',
  'qwen',
  'chat-template',
  'qwen-chat-template',
  'string-thinking',
  'ant-ling',
] as const;
export type ThinkingFormat = (typeof THINKING_FORMATS)[number];

const AFFINITY_FORMATS = ['openai', 'openai-nosession', 'openrouter'] as const;
const MAX_TOKENS_FIELDS = ['max_completion_tokens', 'max_tokens'] as const;

/**
 * What OpenAI-compatible services differ in; every key may be set in `compat` of models.json.
 * Source: models document, "OpenAI Compatibility". The last two are ours.
 */
export interface Quirks {
  supportsStore: boolean;
  /** The system prompt of a reasoning model goes in as `developer`. */
  supportsDeveloperRole: boolean;
  supportsReasoningEffort: boolean;
  supportsUsageInStreaming: boolean;
  /** Streams say why they end; without, it is inferred. */
  supportsFinishReason: boolean;
  supportsStrictMode: boolean;
  maxTokensField: (typeof MAX_TOKENS_FIELDS)[number];
  requiresToolResultName: boolean;
  requiresAssistantAfterToolResult: boolean;
  requiresThinkingAsText: boolean;
  requiresReasoningContentOnAssistantMessages: boolean;
  thinkingFormat: ThinkingFormat;
  chatTemplateKwargs: Readonly<Record<string, unknown>> | undefined;
  chatTemplateArgs: Readonly<Record<string, unknown>> | undefined;
  cacheControlFormat: 'anthropic' | undefined;
  sendSessionAffinityHeaders: boolean;
  sessionAffinityFormat: (typeof AFFINITY_FORMATS)[number];
  openRouterRouting: Readonly<Record<string, unknown>> | undefined;
  vercelGatewayRouting: Readonly<Record<string, unknown>> | undefined;
  zaiToolStream: boolean;
  /** Sends `prompt_cache_key`. */
  supportsPromptCacheKey: boolean;
  /** `short`: exactly nine letters and digits (Mistral). */
  toolCallIdFormat: 'any' | 'short';
}

/** OpenAI itself, and what a server that says it is compatible is taken to be. */
const OPENAI: Quirks = {
  supportsStore: true,
  supportsDeveloperRole: true,
  supportsReasoningEffort: true,
  supportsUsageInStreaming: true,
  supportsFinishReason: true,
  supportsStrictMode: true,
  maxTokensField: 'max_completion_tokens',
  requiresToolResultName: false,
  requiresAssistantAfterToolResult: false,
  requiresThinkingAsText: false,
  requiresReasoningContentOnAssistantMessages: false,
  thinkingFormat: 'openai',
  chatTemplateKwargs: undefined,
  chatTemplateArgs: undefined,
  cacheControlFormat: undefined,
  sendSessionAffinityHeaders: false,
  sessionAffinityFormat: 'openai',
  openRouterRouting: undefined,
  vercelGatewayRouting: undefined,
  zaiToolStream: false,
  supportsPromptCacheKey: false,
  toolCallIdFormat: 'any',
};

/** Values a key may have, for the keys that are neither a flag nor an object. */
const WORDS: Readonly<Partial<Record<keyof Quirks, readonly string[]>>> = {
  maxTokensField: MAX_TOKENS_FIELDS,
  thinkingFormat: THINKING_FORMATS,
  cacheControlFormat: ['anthropic'],
  sessionAffinityFormat: AFFINITY_FORMATS,
  toolCallIdFormat: ['any', 'short'],
};
const OBJECTS: ReadonlySet<string> = new Set([
  'chatTemplateKwargs',
  'chatTemplateArgs',
  'openRouterRouting',
  'vercelGatewayRouting',
] satisfies (keyof Quirks)[]);

interface QuirkRow {
  /** Ids of providers. */
  providers: readonly string[];
  /** Ends of host names, or `:port` of a server on this machine. */
  hosts: readonly string[];
  quirks: Partial<Quirks>;
}

const PLAIN = { supportsStore: false, supportsDeveloperRole: false } as const;
const PLAIN_MAX = { ...PLAIN, maxTokensField: 'max_tokens' } as const;
/** Services that refuse fields they do not know. */
const STRICT = { ...PLAIN_MAX, supportsStrictMode: false } as const;

/** The services by name or address; the first row that fits counts. A model's own `compat` wins over its row. */
export const QUIRK_ROWS: readonly QuirkRow[] = [
  { providers: ['openai'], hosts: ['api.openai.com'], quirks: { supportsPromptCacheKey: true } },
  { providers: ['google'], hosts: ['generativelanguage.googleapis.com'], quirks: STRICT },
  { providers: ['openrouter'], hosts: ['openrouter.ai'], quirks: { ...PLAIN_MAX, thinkingFormat: 'openrouter' } },
  { providers: ['groq'], hosts: ['api.groq.com'], quirks: PLAIN },
  { providers: ['xai'], hosts: ['api.x.ai'], quirks: { ...PLAIN, sessionAffinityFormat: 'openai-nosession' } },
  { providers: ['deepseek'], hosts: ['api.deepseek.com'], quirks: { ...PLAIN_MAX, thinkingFormat: 'deepseek' } },
  {
    // Its last chunk carries the usage unasked, and it refuses `stream_options`.
    providers: ['mistral'],
    hosts: ['api.mistral.ai'],
    quirks: { ...STRICT, supportsUsageInStreaming: false, requiresToolResultName: true, toolCallIdFormat: 'short' },
  },
  {
    providers: ['together'],
    hosts: ['api.together.ai', 'api.together.xyz'],
    quirks: { ...PLAIN_MAX, thinkingFormat: 'together' },
  },
  { providers: ['fireworks'], hosts: ['api.fireworks.ai'], quirks: PLAIN_MAX },
  { providers: ['cerebras'], hosts: ['api.cerebras.ai'], quirks: PLAIN },
  {
    providers: ['moonshotai', 'moonshotai-cn', 'kimi-coding'],
    hosts: ['moonshot.ai', 'moonshot.cn', 'api.kimi.com'],
    quirks: PLAIN_MAX,
  },
  { providers: ['zai', 'zai-coding-cn'], hosts: ['api.z.ai', 'bigmodel.cn'], quirks: { ...PLAIN_MAX, thinkingFormat: 'zai' } },
  { providers: ['nvidia'], hosts: ['integrate.api.nvidia.com'], quirks: STRICT },
  { providers: ['baseten'], hosts: ['inference.baseten.co'], quirks: { ...PLAIN_MAX, thinkingFormat: 'baseten' } },
  { providers: ['huggingface'], hosts: ['router.huggingface.co'], quirks: PLAIN_MAX },
  { providers: ['ant-ling'], hosts: ['api.ant-ling.com'], quirks: { ...PLAIN_MAX, thinkingFormat: 'ant-ling' } },
  {
    providers: ['qwen-token-plan', 'qwen-token-plan-cn'],
    hosts: ['qwencloudapi.com', 'qianwenaiapi.com', 'aliyuncs.com'],
    quirks: { ...PLAIN_MAX, thinkingFormat: 'qwen' },
  },
  { providers: ['xiaomi'], hosts: ['xiaomimimo.com'], quirks: PLAIN_MAX },
  { providers: ['opencode', 'opencode-go'], hosts: ['opencode.ai'], quirks: PLAIN_MAX },
  { providers: ['vercel-ai-gateway'], hosts: ['ai-gateway.vercel.sh'], quirks: PLAIN_MAX },
  { providers: ['ollama', 'lmstudio', 'vllm', 'sglang', 'llama.cpp'], hosts: [':11434', ':1234'], quirks: STRICT },
];

const known = new WeakMap<Model, Quirks>();

/** The quirks of a model: OpenAI's ways, changed by its service's row, changed by its `compat`. Mistyped values are passed over. */
export function quirksOf(model: Model): Quirks {
  const made = known.get(model);
  if (made) return made;
  const quirks: Quirks = { ...OPENAI, ...rowOf(model)?.quirks, ...ownQuirks(model.compat ?? {}) };
  known.set(model, quirks);
  return quirks;
}

function rowOf({ provider, baseUrl }: Model): QuirkRow | undefined {
  const host = hostOf(baseUrl);
  const isAt = (end: string): boolean => (end.startsWith(':') ? host.endsWith(end) : isHostWithin(host, end));
  // The address tells more than a name, which a proxy or the user may have given.
  return QUIRK_ROWS.find(({ hosts }) => hosts.some(isAt)) ?? QUIRK_ROWS.find(({ providers }) => providers.includes(provider));
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).host;
  } catch {
    // The request will say so.
    return '';
  }
}

function isHostWithin(host: string, end: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return name === end || name.endsWith(`.${end}`);
}

function ownQuirks(compat: Readonly<Record<string, unknown>>): Partial<Quirks> {
  const isUsable = (key: string, value: unknown): boolean => {
    if (!Object.hasOwn(OPENAI, key)) return false;
    const words = WORDS[key as keyof Quirks]; // an own key, as just checked
    if (words) return typeof value === 'string' && words.includes(value);
    if (OBJECTS.has(key)) return typeof value === 'object' && value !== null && !Array.isArray(value);
    return typeof value === 'boolean';
  };
  return Object.fromEntries(Object.entries(compat).filter(([key, value]) => isUsable(key, value)));
}
