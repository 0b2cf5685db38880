import { unsupportedClass, unsupportedFunction } from '../unsupported.js';

// What the existing package has and no counted extension uses. Each says what does the same here.

const missing = (name: string, instead: string) => unsupportedFunction('pi-ai', name, instead);

const COLLECTIONS =
  'Use ctx.modelRegistry, which has every provider, or pi.registerProvider() to add one; complete() and stream() take its models.';
const DIALECT =
  'Spoken here are "anthropic-messages", "openai-completions" and "openai-responses"; register a stream of your own with pi.registerProvider().';
const IMAGES = 'Ask the service with fetch(): models that make images are not part of this program.';
const LAZY = 'Return a stream from createAssistantMessageEventStream() and load what it needs with import() inside.';
const FAUX = 'Use fauxAssistantMessage() and push it into createAssistantMessageEventStream(), or start `pi --provider offline`.';
const DIAGNOSTICS = 'Put what went wrong into errorMessage of the answer.';
const SIGN_IN = 'Use ctx.modelRegistry.getApiKeyAndHeaders(), or `oauth` of pi.registerProvider() for a sign-in of your own.';

export const createModels = missing('createModels', COLLECTIONS);
export const createProvider = missing('createProvider', COLLECTIONS);
export const InMemoryModelsStore = unsupportedClass('pi-ai', 'InMemoryModelsStore', COLLECTIONS);
export const ModelsError = unsupportedClass('pi-ai', 'ModelsError', COLLECTIONS);

export const InMemoryCredentialStore = unsupportedClass('pi-ai', 'InMemoryCredentialStore', SIGN_IN);
export const defaultProviderAuthContext = missing('defaultProviderAuthContext', SIGN_IN);
export const envApiKeyAuth = missing('envApiKeyAuth', SIGN_IN);
export const lazyOAuth = missing('lazyOAuth', SIGN_IN);

export const createImagesModels = missing('createImagesModels', IMAGES);
export const createImagesProvider = missing('createImagesProvider', IMAGES);
export const generateImages = missing('generateImages', IMAGES);
export const generateImagesOpenRouter = missing('generateImagesOpenRouter', IMAGES);
export const getImageModel = missing('getImageModel', IMAGES);
export const getImageModels = missing('getImageModels', IMAGES);
export const getImageProviders = missing('getImageProviders', IMAGES);
export const getImagesApiProvider = missing('getImagesApiProvider', IMAGES);
export const registerBuiltInImagesApiProviders = missing('registerBuiltInImagesApiProviders', IMAGES);
export const registerImagesApiProvider = missing('registerImagesApiProvider', IMAGES);

export const lazyApi = missing('lazyApi', LAZY);
export const lazyStream = missing('lazyStream', LAZY);

export const createFauxCore = missing('createFauxCore', FAUX);
export const fauxProvider = missing('fauxProvider', FAUX);
export const registerFauxProvider = missing('registerFauxProvider', FAUX);

export const appendAssistantMessageDiagnostic = missing('appendAssistantMessageDiagnostic', DIAGNOSTICS);
export const createAssistantMessageDiagnostic = missing('createAssistantMessageDiagnostic', DIAGNOSTICS);
export const extractDiagnosticError = missing('extractDiagnosticError', DIAGNOSTICS);
export const formatThrownValue = missing('formatThrownValue', DIAGNOSTICS);

export const isRecoverableLength = missing(
  'isRecoverableLength',
  'Look at stopReason ("length") and usage.output of the answer.',
);
export const retryAssistantCall = missing('retryAssistantCall', 'Call complete() again while isRetryableAssistantError() holds.');

export const azureOpenAIResponsesApi = missing('azureOpenAIResponsesApi', DIALECT);
export const bedrockConverseStreamApi = missing('bedrockConverseStreamApi', DIALECT);
export const googleGenerativeAIApi = missing('googleGenerativeAIApi', DIALECT);
export const googleVertexApi = missing('googleVertexApi', DIALECT);
export const mistralConversationsApi = missing('mistralConversationsApi', DIALECT);
export const openAICodexResponsesApi = missing('openAICodexResponsesApi', DIALECT);
export const piMessagesApi = missing('piMessagesApi', DIALECT);
export const setBedrockProviderModule = missing('setBedrockProviderModule', DIALECT);
export const streamAzureOpenAIResponses = missing('streamAzureOpenAIResponses', DIALECT);
export const streamGoogle = missing('streamGoogle', DIALECT);
export const streamGoogleVertex = missing('streamGoogleVertex', DIALECT);
export const streamMistral = missing('streamMistral', DIALECT);
export const streamOpenAICodexResponses = missing('streamOpenAICodexResponses', DIALECT);
export const streamSimpleAzureOpenAIResponses = missing('streamSimpleAzureOpenAIResponses', DIALECT);
export const streamSimpleGoogle = missing('streamSimpleGoogle', DIALECT);
export const streamSimpleGoogleVertex = missing('streamSimpleGoogleVertex', DIALECT);
export const streamSimpleMistral = missing('streamSimpleMistral', DIALECT);
export const streamSimpleOpenAICodexResponses = missing('streamSimpleOpenAICodexResponses', DIALECT);
