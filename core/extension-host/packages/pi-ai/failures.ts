import type { AssistantMessage } from '../../../protocol/messages.js';
import { classifyFailure } from '../../../providers/failure.js';
import { OVERFLOW_WORDINGS } from '../../../providers/failure-table.js';

/** True when the request did not fit into the model's window: the provider said so, or it took in more than `contextWindow` tokens. */
export function isContextOverflow(message: AssistantMessage, contextWindow?: number): boolean {
  if (message.stopReason === 'error') return kindOf(message) === 'overflow';
  if (message.stopReason !== 'stop' || contextWindow === undefined) return false;
  return message.usage.input + message.usage.cacheRead > contextWindow;
}

/** True for a failed answer that another try may pass. */
export function isRetryableAssistantError(message: AssistantMessage): boolean {
  return message.stopReason === 'error' && kindOf(message) === 'transient';
}

/** How providers say that a context did not fit. */
export function getOverflowPatterns(): RegExp[] {
  return [...OVERFLOW_WORDINGS];
}

/** `errorMessage` is `<status> <body>` for a refused request and a sentence otherwise. */
function kindOf({ errorMessage = '' }: AssistantMessage): 'transient' | 'overflow' | 'fatal' {
  const [, status, body] = /^([1-5]\d\d)(?:\s+|$)(.*)$/s.exec(errorMessage) ?? [];
  if (status === undefined) return classifyFailure({ message: errorMessage }).kind;
  return classifyFailure({ status: Number(status), body: body ?? '' }).kind;
}
