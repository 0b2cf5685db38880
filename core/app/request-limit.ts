import type { ModelAnswer, ModelStream } from '../protocol/model-stream.js';
import { PROVIDER_ERRORS } from '../providers/errors.js';

/**
 * The stream with a limit on the time until an answer begins: what takes longer is a failure worth another try. How long the answer itself may
 * be silent is another setting. Source: settings document, "Retry"; the SDKs' own limit ends with the head of the response, too.
 */
export function withRequestLimit(stream: ModelStream, limitMs: number | undefined): ModelStream {
  if (limitMs === undefined || limitMs === 0) return stream;
  return async (request, emit): Promise<ModelAnswer> => {
    const { signal } = request.options;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    try {
      const limited = { ...request, options: { ...request.options, signal: AbortSignal.any([signal, limit.signal]) } };
      const answer = await stream(limited, (event) => {
        clearTimeout(timer);
        emit(event);
      });
      if (!limit.signal.aborted || signal.aborted || answer.message.stopReason !== 'aborted') return answer;
      Object.assign(answer.message, {
        stopReason: 'error',
        errorMessage: `No answer began within ${limitMs / 1000} s (retry.provider.timeoutMs)`,
      });
      return { message: answer.message, failure: { kind: 'transient', code: PROVIDER_ERRORS.TIMEOUT } };
    } finally {
      clearTimeout(timer);
    }
  };
}
