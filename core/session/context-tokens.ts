import type { AgentMessage } from '../protocol/messages.js';

const CHARS_PER_TOKEN = 4;
/** Providers count an image by its size in pixels; this is a usual one. */
const IMAGE_CHARS = 4800;

/** A rough size in tokens, for what no provider has counted yet. Source: compaction document; transcripts (characters / 4). */
export function estimateTokens(message: AgentMessage): number {
  return Math.ceil(charsOf(message) / CHARS_PER_TOKEN);
}

function charsOf(message: AgentMessage): number {
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'toolResult':
      return contentChars(message.content);
    case 'assistant':
      return contentChars(message.content);
    case 'bashExecution':
      return message.excludeFromContext ? 0 : message.command.length + message.output.length;
    case 'branchSummary':
    case 'compactionSummary':
      return message.summary.length;
    default:
      // Unknown roles of other programs never reach a model.
      return 0;
  }
}

type Block = { type: string; text?: string; thinking?: string; name?: string; arguments?: unknown };

function contentChars(content: string | readonly Block[]): number {
  if (typeof content === 'string') return content.length;
  let chars = 0;
  for (const block of content) {
    if (block.type === 'text') chars += block.text?.length ?? 0;
    else if (block.type === 'thinking') chars += block.thinking?.length ?? 0;
    else if (block.type === 'image') chars += IMAGE_CHARS;
    else if (block.type === 'toolCall') chars += (block.name?.length ?? 0) + (JSON.stringify(block.arguments) ?? '').length;
  }
  return chars;
}

/**
 * Tokens in the context: what the last valid answer used, and an estimate of what came after it. `newestFirst` are the
 * messages since the last compaction: usage from before it never counts, so right after one the answer is null.
 */
export function contextTokens(newestFirst: Iterable<AgentMessage>, isCompacted: boolean): number | null {
  let later = 0;
  for (const message of newestFirst) {
    const used = usedBy(message);
    if (used > 0) return used + later;
    later += estimateTokens(message);
  }
  return isCompacted ? null : later;
}

/** Failed and aborted answers do not say what a whole request needs. */
function usedBy(message: AgentMessage): number {
  if (message.role !== 'assistant' || message.stopReason === 'error' || message.stopReason === 'aborted') return 0;
  const { input, output, cacheRead, cacheWrite } = message.usage;
  return input + output + cacheRead + cacheWrite;
}
