import type { ModelStream } from '../protocol/model-stream.js';
import { CompletionsDecoder } from './completions-decoder.js';
import { completionsBody, completionsHeaders } from './completions-request.js';
import { openaiClient } from './openai-client.js';
import { quirksOf } from './quirks.js';
import { type Dialect, streamAnswer } from './stream-answer.js';

const dialect: Dialect = {
  path: '/chat/completions',
  client: openaiClient,
  headers: completionsHeaders,
  body: completionsBody,
  decoder: (answer, { model }) => new CompletionsDecoder(answer, quirksOf(model)),
};

/** `openai-completions`: Chat Completions, of OpenAI and of everyone who speaks like it. */
export const streamCompletions: ModelStream = (request, emit) => streamAnswer(request, emit, dialect);
