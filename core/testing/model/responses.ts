import type { Frame, Script, StreamedBlock } from './reply.js';

/** A Responses API stream. */
export function* responsesFrames({ blocks, usage, stop, model, serial }: Script): Generator<Frame> {
  let sequence = 0;
  const frame = (data: { type: string; [key: string]: unknown }, more: Partial<Frame> = {}): Frame => ({
    event: data.type,
    data: { ...data, sequence_number: sequence++ },
    ...more,
  });
  const response = { id: `resp_${serial}`, object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
  yield frame({ type: 'response.created', response });
  const output: object[] = [];
  for (const [outputIndex, block] of blocks.entries()) {
    const id = `${block.type}_${serial}_${outputIndex}`;
    const last = { isLast: outputIndex === blocks.length - 1 };
    const { added, deltaType, done } = itemOf(block, id);
    const at = { output_index: outputIndex, item_id: id };
    yield frame({ type: 'response.output_item.added', output_index: outputIndex, item: added });
    for (const delta of block.pieces) yield frame({ type: deltaType, ...at, delta }, { isDelta: true });
    yield frame({ type: 'response.output_item.done', output_index: outputIndex, item: done }, last);
    output.push(done);
  }
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const counts = {
    input_tokens: input,
    output_tokens: usage.output,
    total_tokens: input + usage.output,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  const incomplete = { length: 'max_output_tokens', refusal: 'content_filter' } as const;
  const reason = stop === 'length' || stop === 'refusal' ? incomplete[stop] : undefined;
  const status = reason ? 'incomplete' : 'completed';
  const details = reason ? { incomplete_details: { reason } } : {};
  yield frame(
    { type: `response.${status}`, response: { ...response, ...details, status, output, usage: counts } },
    { isLast: true },
  );
}

function itemOf(block: StreamedBlock, id: string): { added: object; deltaType: string; done: object } {
  switch (block.type) {
    case 'text': {
      const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
      const content = [{ type: 'output_text', text: block.text, annotations: [] }];
      return { added: item, deltaType: 'response.output_text.delta', done: { ...item, status: 'completed', content } };
    }
    case 'thinking': {
      const item = { type: 'reasoning', id, summary: [] };
      const summary = [{ type: 'summary_text', text: block.text }];
      const done = { ...item, summary, encrypted_content: block.signature };
      return { added: item, deltaType: 'response.reasoning_summary_text.delta', done };
    }
    case 'toolCall': {
      const item = { type: 'function_call', id, call_id: block.id, name: block.name, arguments: '', status: 'in_progress' };
      const done = { ...item, arguments: block.text, status: 'completed' };
      return { added: item, deltaType: 'response.function_call_arguments.delta', done };
    }
  }
}
