import type { ModelStream } from '../protocol/model-stream.js';
import { openaiClient } from './openai-client.js';
import { ResponsesDecoder } from './responses-decoder.js';
import { responsesBody, responsesHeaders } from './responses-request.js';
import { type Dialect, streamAnswer } from './stream-answer.js';

const dialect: Dialect = {
  path: '/responses',
  client: openaiClient,
  headers: responsesHeaders,
  body: responsesBody,
  decoder: (answer) => new ResponsesDecoder(answer),
};

/** `openai-responses`: OpenAI's Responses API. */
export const streamResponses: ModelStream = (request, emit) => streamAnswer(request, emit, dialect);
