import type { Frame, Script, StreamedBlock } from './reply.js';

const STOP = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use', refusal: 'refusal' } as const;

const frame = (data: { type: string; [key: string]: unknown }, more: Partial<Frame> = {}): Frame => ({
  event: data.type,
  data,
  ...more,
});

/** A Messages API stream. */
export function* anthropicFrames({ blocks, usage, stop, model, serial }: Script): Generator<Frame> {
  const input = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
  const message = { id: `msg_${serial}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  yield frame({ type: 'message_start', message: { ...message, usage: { ...input, output_tokens: 1 } } });
  yield frame({ type: 'ping' });
  for (const [index, block] of blocks.entries()) {
    yield frame({ type: 'content_block_start', index, content_block: blockStart(block) });
    for (const piece of block.type === 'thinking' && block.redacted ? [] : block.pieces) {
      yield frame({ type: 'content_block_delta', index, delta: delta(block, piece) }, { isDelta: true });
    }
    if (block.type === 'thinking' && !block.redacted) {
      yield frame({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: block.signature } });
    }
    yield frame({ type: 'content_block_stop', index }, { isLast: index === blocks.length - 1 });
  }
  yield frame(
    { type: 'message_delta', delta: { stop_reason: STOP[stop] }, usage: { output_tokens: usage.output } },
    { isLast: true },
  );
  yield frame({ type: 'message_stop' }, { isLast: true });
}

function blockStart(block: StreamedBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return block.redacted
        ? { type: 'redacted_thinking', data: block.signature }
        : { type: 'thinking', thinking: '', signature: '' };
    case 'toolCall':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

function delta({ type }: StreamedBlock, piece: string): object {
  if (type === 'text') return { type: 'text_delta', text: piece };
  return type === 'thinking' ? { type: 'thinking_delta', thinking: piece } : { type: 'input_json_delta', partial_json: piece };
}
