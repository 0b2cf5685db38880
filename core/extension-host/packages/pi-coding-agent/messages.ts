import type { UserContent } from '../../../protocol/content.js';
import type { AgentMessage, ModelMessage, UserMessage } from '../../../protocol/messages.js';
import type { Usage } from '../../../protocol/usage.js';
import { bashText, branchText, compactionText } from '../../../session/message-texts.js';

export { estimateTokens } from '../../../session/context-tokens.js';

/** Longest part of a tool's result in a text for a summary. Source: compaction document, "Message Serialization". */
const MAX_RESULT_CHARS = 2000;

/**
 * Messages a provider understands: shell commands, extensions' messages and summaries become what the user said. Pure; the other
 * messages come back as the same objects. Source: compaction document, "Converting Messages to Text".
 */
export function convertToLlm(messages: readonly AgentMessage[]): ModelMessage[] {
  return messages.flatMap((message) => toModelMessage(message) ?? []);
}

function toModelMessage(message: AgentMessage): ModelMessage | undefined {
  switch (message.role) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      return message;
    case 'bashExecution':
      return message.excludeFromContext ? undefined : asUser(bashText(message), message.timestamp);
    case 'custom':
      return asUser(message.content, message.timestamp);
    case 'branchSummary':
      return asUser(branchText(message), message.timestamp);
    case 'compactionSummary':
      return asUser(compactionText(message), message.timestamp);
    default:
      // Roles of other programs mean nothing to a provider.
      return undefined;
  }
}

function asUser(content: string | UserContent[], timestamp: number): UserMessage {
  return { role: 'user', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content, timestamp };
}

/** A conversation as one text, so that a model reads it instead of going on with it. */
export function serializeConversation(messages: readonly ModelMessage[]): string {
  return messages.flatMap(partsOf).join('\n\n');
}

function partsOf(message: ModelMessage): string[] {
  if (message.role === 'user') return labelled('User', textOf(message.content));
  if (message.role === 'toolResult') return labelled('Tool result', shortened(textOf(message.content)));
  const thinking: string[] = [];
  const texts: string[] = [];
  const calls: string[] = [];
  for (const block of message.content) {
    if (block.type === 'thinking') thinking.push(block.thinking);
    else if (block.type === 'text') texts.push(block.text);
    else calls.push(`${block.name}(${argumentsOf(block.arguments)})`);
  }
  return [
    ...labelled('Assistant thinking', thinking.join('\n')),
    ...labelled('Assistant', texts.join('\n')),
    ...labelled('Assistant tool calls', calls.join('; ')),
  ];
}

const labelled = (label: string, text: string): string[] => (text === '' ? [] : [`[${label}]: ${text}`]);

function textOf(content: string | readonly UserContent[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

function argumentsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ');
}

function shortened(text: string): string {
  const left = text.length - MAX_RESULT_CHARS;
  return left <= 0 ? text : `${text.slice(0, MAX_RESULT_CHARS)}\n\n[... ${left} more characters truncated]`;
}

/** Tokens of the context a request had: what the provider says, else the sum of the parts. */
export function calculateContextTokens(usage: Usage): number {
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}
