/** `@earendil-works/pi-ai` and `@mariozechner/pi-ai`. The root has what `compat` has: extensions of both ages import from it. */
export { uuidV7 as uuidv7 } from '../../base/id.js';
export { registerApiProvider, resetApiProviders, unregisterApiProviders } from './pi-ai/api-registry.js';
export {
  anthropicMessagesApi,
  getApiProvider,
  getApiProviders,
  openAICompletionsApi,
  openAIResponsesApi,
  registerBuiltInApiProviders,
  streamAnthropic,
  streamOpenAICompletions,
  streamOpenAIResponses,
  streamSimpleAnthropic,
  streamSimpleOpenAICompletions,
  streamSimpleOpenAIResponses,
} from './pi-ai/apis.js';
export { contentText, fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from './pi-ai/content.js';
export {
  ANTHROPIC_API_KEY_ENV,
  ANTHROPIC_AUTH_TOKEN_ENV,
  ANTHROPIC_OAUTH_TOKEN_ENV,
  findEnvKeys,
  getEnvApiKey,
} from './pi-ai/env-keys.js';
export { AssistantMessageEventStream, createAssistantMessageEventStream, EventStream } from './pi-ai/event-stream.js';
export { getOverflowPatterns, isContextOverflow, isRetryableAssistantError } from './pi-ai/failures.js';
export { parseJsonWithRepair, parseStreamingJson, repairJson } from './pi-ai/json.js';
export { getModel, getModels, getProviders } from './pi-ai/known-models.js';
export * from './pi-ai/missing.js';
export {
  calculateCost,
  clampThinkingLevel,
  getSupportedThinkingLevels,
  hasApi,
  modelsAreEqual,
} from './pi-ai/model-facts.js';
export { StringEnum, Type } from './pi-ai/schema.js';
export { cleanupSessionResources, registerSessionResourceCleanup } from './pi-ai/session-resources.js';
export { complete, completeSimple, stream, streamSimple } from './pi-ai/stream.js';
export { validateToolArguments, validateToolCall } from './pi-ai/tool-arguments.js';
