import type { Agent } from '../../agent/agent.js';
import type { AgentMessage } from '../../protocol/messages.js';
import type { Submit } from '../submit.js';

/** Runs each prompt in turn. What is printed of the last answer is `finalText`'s business. */
export async function runPrint(agent: Agent, prompts: readonly Submit[]): Promise<void> {
  for (const prompt of prompts) {
    const { begin } = await prompt();
    begin?.();
    await agent.whenIdle();
  }
}

/** What a one-shot run ends with: the text of the final answer, and why the exit code is not 0. */
export interface FinalAnswer {
  text: string;
  problem?: string;
}

/** Source: FACTS "JSON and print mode"; an answer cut at the limit is printed and said, not dropped. */
export function finalAnswer(messages: readonly AgentMessage[]): FinalAnswer {
  const last = messages.findLast((message) => message.role === 'assistant');
  if (!last) return { text: '' };
  const text = last.content.map((part) => (part.type === 'text' ? `${part.text}\n` : '')).join('');
  switch (last.stopReason) {
    case 'error':
    case 'aborted':
      return { text: '', problem: last.errorMessage ?? `The run ended with "${last.stopReason}"` };
    case 'length':
      return { text, problem: 'The answer was cut off: it reached the output limit of the model' };
    default:
      return { text };
  }
}
