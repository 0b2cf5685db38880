import type { BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage } from '../protocol/messages.js';

/** What the model reads of a shell command the user ran. Source: rpc-mode document, `bash`; transcripts. */
export function bashText(message: BashExecutionMessage): string {
  const { command, output, exitCode, cancelled, truncated, fullOutputPath } = message;
  const parts = [`Ran \`${command}\`\n${output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}`];
  if (cancelled) parts.push('(command cancelled)');
  else if (typeof exitCode === 'number' && exitCode !== 0) parts.push(`Command exited with code ${exitCode}`);
  if (truncated && fullOutputPath) parts.push(`[Output truncated. Full output: ${fullOutputPath}]`);
  return parts.join('\n\n');
}

/** What stands for the part of the conversation that was summarised. Source: transcripts of compaction. */
export function compactionText(message: CompactionSummaryMessage): string {
  return `The conversation history before this point was compacted. This summary stands for it:\n\n${summaryBlock(message.summary)}`;
}

/** What stands for a branch that was left. */
export function branchText(message: BranchSummaryMessage): string {
  return `The conversation went another way for a while and came back to this point. This is a summary of that branch:\n\n${summaryBlock(message.summary)}`;
}

const summaryBlock = (summary: string): string => `<summary>\n${summary}\n</summary>`;
