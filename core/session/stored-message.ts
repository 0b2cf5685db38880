import type { StoredEntry } from '../protocol/commands/session.js';
import type { AgentMessage } from '../protocol/messages.js';
import type { Usage } from '../protocol/usage.js';

type Json = Record<string, unknown>;

/**
 * The message an entry puts into the context, or undefined when it puts none there. Stored messages come back as the same
 * object, unless a field that readers rely on is missing (hand-made and very old files): then it is filled in.
 * Source: session-format document, "Context Building".
 */
export function contextMessage(entry: StoredEntry): AgentMessage | undefined {
  switch (entry.type) {
    case 'message':
      return isObject(entry.message) ? soundMessage(entry.message, timeOf(entry)) : undefined;
    case 'custom_message':
      return {
        role: 'custom',
        customType: textOf(entry.customType),
        content: contentOf(entry.content),
        display: entry.display === true,
        ...(entry.details === undefined ? {} : { details: entry.details }),
        timestamp: timeOf(entry),
      };
    case 'branch_summary':
      return { role: 'branchSummary', summary: textOf(entry.summary), fromId: textOf(entry.fromId), timestamp: timeOf(entry) };
    case 'compaction':
      return {
        role: 'compactionSummary',
        summary: textOf(entry.summary),
        tokensBefore: typeof entry.tokensBefore === 'number' ? entry.tokensBefore : 0,
        timestamp: timeOf(entry),
      };
    default:
      return undefined;
  }
}

/** What a compaction keeps by itself, or undefined when it names the first kept entry instead. */
export function retainedTail(compaction: StoredEntry): AgentMessage[] | undefined {
  if (!Array.isArray(compaction.retainedTail)) return undefined;
  const at = timeOf(compaction);
  return compaction.retainedTail.filter(isObject).flatMap((message) => soundMessage(message, at) ?? []);
}

/** The text blocks of an entry's message, joined; '' when it has none. */
export function storedText({ message }: StoredEntry): string {
  if (!isObject(message)) return '';
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => (isObject(block) && block.type === 'text' ? textOf(block.text) : '')).join('');
}

function soundMessage(message: Json, at: number): AgentMessage | undefined {
  if (typeof message.role !== 'string' || message.role === '') return undefined;
  const fixed: Json = {};
  if (typeof message.timestamp !== 'number') fixed.timestamp = at;
  if (message.role === 'assistant') {
    if (!Array.isArray(message.content)) fixed.content = blocksOf(message.content);
    if (!isUsage(message.usage)) fixed.usage = NO_USAGE;
    if (typeof message.stopReason !== 'string') fixed.stopReason = 'stop';
    for (const key of ['api', 'provider', 'model']) if (typeof message[key] !== 'string') fixed[key] = '';
  }
  if (message.role === 'toolResult') {
    if (!Array.isArray(message.content)) fixed.content = blocksOf(message.content);
    if (typeof message.isError !== 'boolean') fixed.isError = false;
    for (const key of ['toolCallId', 'toolName']) if (typeof message[key] !== 'string') fixed[key] = '';
  }
  if (message.role === 'user' || message.role === 'custom') {
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) fixed.content = '';
  }
  const sound = Object.keys(fixed).length === 0 ? message : { ...message, ...fixed };
  // Every field that the roles' readers rely on has just been checked or filled in; unknown roles are passed on.
  return sound as unknown as AgentMessage;
}

const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function isUsage(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.cost)) return false;
  return ['input', 'output', 'cacheRead', 'cacheWrite'].every((key) => typeof value[key] === 'number');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const blocksOf = (value: unknown): unknown[] => (typeof value === 'string' ? [{ type: 'text', text: value }] : []);

function contentOf(value: unknown): Extract<AgentMessage, { role: 'custom' }>['content'] {
  // Blocks of other kinds are left to the reader, as with stored messages.
  return typeof value === 'string' ? value : Array.isArray(value) ? (value as []) : '';
}

/** Milliseconds since the epoch; 0 when the entry has no readable time. */
function timeOf(entry: StoredEntry): number {
  const time = typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN;
  return Number.isFinite(time) ? time : 0;
}
