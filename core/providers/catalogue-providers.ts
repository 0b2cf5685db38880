/** A service that ships with the program: how to reach it and where its key comes from. What it does differently is in quirks.ts. */
export interface ProviderRow {
  id: string;
  name: string;
  /** The dialect and address of its models, unless a model says otherwise. */
  api: 'anthropic-messages' | 'openai-completions' | 'openai-responses';
  baseUrl: string;
  /** Environment variables that may hold the key, first one first. */
  keyVariables: readonly string[];
  /** Also send the key as `Authorization: Bearer`, for services that speak a dialect but not its way to sign in. */
  authHeader?: true;
  /** Runs on this machine, needs no key, has no catalogue: any model id is taken as it is. */
  local?: true;
}

const completions = (id: string, name: string, keyVariable: string, baseUrl: string): ProviderRow => ({
  id,
  name,
  api: 'openai-completions',
  baseUrl,
  keyVariables: [keyVariable],
});

const local = (id: string, name: string, baseUrl: string): ProviderRow => ({
  id,
  name,
  api: 'openai-completions',
  baseUrl,
  keyVariables: [],
  local: true,
});

/**
 * All of them, in the order in which their models are listed and a default is looked for.
 * Source: providers document, "API Keys"; addresses from `get_available_models` of 1.6.0. Services that need more than a key
 * (Bedrock, Vertex, Azure, Cloudflare, subscriptions of other programs) are not here: {@link UNSUPPORTED_PROVIDERS}.
 */
export const PROVIDER_ROWS: readonly ProviderRow[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    api: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    keyVariables: ['ANTHROPIC_API_KEY'],
  },
  {
    id: 'openai',
    name: 'OpenAI',
    api: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
  },
  // Google is reached through its OpenAI-compatible endpoint.
  completions('google', 'Google Gemini', 'GEMINI_API_KEY', 'https://generativelanguage.googleapis.com/v1beta/openai'),
  {
    ...completions('openrouter', 'OpenRouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'),
    authHeader: true,
  },
  completions('groq', 'Groq', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1'),
  { id: 'xai', name: 'xAI', api: 'openai-responses', baseUrl: 'https://api.x.ai/v1', keyVariables: ['XAI_API_KEY'] },
  completions('deepseek', 'DeepSeek', 'DEEPSEEK_API_KEY', 'https://api.deepseek.com'),
  completions('mistral', 'Mistral', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1'),
  completions('together', 'Together AI', 'TOGETHER_API_KEY', 'https://api.together.ai/v1'),
  {
    ...completions('fireworks', 'Fireworks', 'FIREWORKS_API_KEY', 'https://api.fireworks.ai/inference/v1'),
    authHeader: true,
  },
  completions('cerebras', 'Cerebras', 'CEREBRAS_API_KEY', 'https://api.cerebras.ai/v1'),
  completions('moonshotai', 'Moonshot AI', 'MOONSHOT_API_KEY', 'https://api.moonshot.ai/v1'),
  completions('moonshotai-cn', 'Moonshot AI (China)', 'MOONSHOT_API_KEY', 'https://api.moonshot.cn/v1'),
  completions('kimi-coding', 'Kimi For Coding', 'KIMI_API_KEY', 'https://api.kimi.com/coding/v1'),
  completions('zai', 'ZAI Coding Plan (Global)', 'ZAI_API_KEY', 'https://api.z.ai/api/coding/paas/v4'),
  completions('zai-coding-cn', 'ZAI Coding Plan (China)', 'ZAI_CODING_CN_API_KEY', 'https://open.bigmodel.cn/api/coding/paas/v4'),
  {
    id: 'minimax',
    name: 'MiniMax',
    api: 'anthropic-messages',
    baseUrl: 'https://api.minimax.io/anthropic',
    keyVariables: ['MINIMAX_API_KEY'],
    authHeader: true,
  },
  {
    id: 'minimax-cn',
    name: 'MiniMax (China)',
    api: 'anthropic-messages',
    baseUrl: 'https://api.minimaxi.com/anthropic',
    keyVariables: ['MINIMAX_CN_API_KEY'],
    authHeader: true,
  },
  completions('nvidia', 'NVIDIA NIM', 'NVIDIA_API_KEY', 'https://integrate.api.nvidia.com/v1'),
  completions('baseten', 'Baseten', 'BASETEN_API_KEY', 'https://inference.baseten.co/v1'),
  completions('huggingface', 'Hugging Face', 'HF_TOKEN', 'https://router.huggingface.co/v1'),
  completions('ant-ling', 'Ant Ling', 'ANT_LING_API_KEY', 'https://api.ant-ling.com/v1'),
  completions(
    'qwen-token-plan',
    'Qwen Token Plan',
    'QWEN_TOKEN_PLAN_API_KEY',
    'https://token-plan.maas.qwencloudapi.com/compatible-mode/v1',
  ),
  completions(
    'qwen-token-plan-cn',
    'Qwen Token Plan (China)',
    'QWEN_TOKEN_PLAN_CN_API_KEY',
    'https://token-plan.maas.qianwenaiapi.com/compatible-mode/v1',
  ),
  completions('xiaomi', 'Xiaomi MiMo', 'XIAOMI_API_KEY', 'https://api.xiaomimimo.com/v1'),
  ...(['cn', 'ams', 'sgp'] as const).map((region) =>
    completions(
      `xiaomi-token-plan-${region}`,
      `Xiaomi MiMo Token Plan (${region.toUpperCase()})`,
      `XIAOMI_TOKEN_PLAN_${region.toUpperCase()}_API_KEY`,
      `https://token-plan-${region}.xiaomimimo.com/v1`,
    ),
  ),
  {
    ...completions('opencode', 'OpenCode Zen', 'OPENCODE_API_KEY', 'https://opencode.ai/inference/openai/v1'),
    authHeader: true,
  },
  {
    ...completions('opencode-go', 'OpenCode Go', 'OPENCODE_API_KEY', 'https://opencode.ai/inference/go/openai/v1'),
    authHeader: true,
  },
  {
    id: 'vercel-ai-gateway',
    name: 'Vercel AI Gateway',
    api: 'anthropic-messages',
    baseUrl: 'https://ai-gateway.vercel.sh',
    keyVariables: ['AI_GATEWAY_API_KEY'],
    authHeader: true,
  },
  local('ollama', 'Ollama', 'http://localhost:11434/v1'),
  local('lmstudio', 'LM Studio', 'http://localhost:1234/v1'),
  local('vllm', 'vLLM', 'http://localhost:8000/v1'),
  local('llama.cpp', 'llama.cpp', 'http://localhost:8080/v1'),
];

const BY_ID: ReadonlyMap<string, ProviderRow> = new Map(PROVIDER_ROWS.map((row) => [row.id, row]));

export function providerRow(id: string): ProviderRow | undefined {
  return BY_ID.get(id);
}

/** Names people may bring from the existing program that this one does not reach, and what to do instead. */
export const UNSUPPORTED_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'Amazon Bedrock'],
  ['azure', 'Azure OpenAI'],
  ['azure-openai-responses', 'Azure OpenAI'],
  ['cloudflare-ai-gateway', 'Cloudflare AI Gateway'],
  ['cloudflare-workers-ai', 'Cloudflare Workers AI'],
  ['github-copilot', 'GitHub Copilot'],
  ['google-vertex', 'Google Vertex AI'],
  ['openai-codex', 'ChatGPT subscriptions'],
  ['radius', 'Radius'],
]);
