// Summarises a long conversation in a way of its own, without a model: what was asked, a line each.
// Try: send the command compact to pi --mode rpc -e examples/extensions/own-summary.ts
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

interface Preparation {
  firstKeptEntryId: string;
  tokensBefore: number;
  messagesToSummarize: { role: string; content: unknown }[];
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text = '' }) => text).join('');

export default function (pi: ExtensionAPI) {
  pi.on('session_before_compact', ({ preparation }) => {
    const { firstKeptEntryId, tokensBefore, messagesToSummarize } = preparation as unknown as Preparation;
    const asked = messagesToSummarize
      .filter(({ role }) => role === 'user')
      .map(({ content }) => `- ${textOf(content).slice(0, 100)}`);
    return { compaction: { summary: `The user asked:\n${asked.join('\n')}`, firstKeptEntryId, tokensBefore } };
  });
}
