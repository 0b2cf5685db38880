import type { Frame, Script } from './reply.js';

const STOP = { stop: 'stop', length: 'length', toolUse: 'tool_calls', refusal: 'content_filter' } as const;

/** A Chat Completions stream. */
export function* completionsFrames({ blocks, usage, stop, model, serial }: Script): Generator<Frame> {
  const base = { id: `chatcmpl-${serial}`, object: 'chat.completion.chunk', created: 1, model };
  const frame = (delta: object, more: Partial<Frame> = {}, reason: string | null = null): Frame => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason: reason }] },
    ...more,
  });
  yield frame({ role: 'assistant', content: '' });
  let index = -1;
  for (const block of blocks) {
    if (block.type === 'toolCall') {
      index++;
      yield frame({ tool_calls: [{ index, id: block.id, type: 'function', function: { name: block.name, arguments: '' } }] });
    }
    for (const piece of block.pieces) {
      const delta =
        block.type === 'text'
          ? { content: piece }
          : block.type === 'thinking'
            ? { reasoning_content: piece }
            : { tool_calls: [{ index, function: { arguments: piece } }] };
      yield frame(delta, { isDelta: true });
    }
  }
  yield frame({}, { isLast: true }, STOP[stop]);
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const counts = {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  yield { data: { ...base, choices: [], usage: counts }, isLast: true };
  yield { data: '[DONE]', isLast: true };
}
