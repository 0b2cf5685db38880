import type { Agent } from '../../../agent/agent.js';
import { CodedError } from '../../../base/coded-error.js';
import { branchFiles } from '../../../session/compaction-plan.js';
import { contextMessage, storedText } from '../../../session/stored-message.js';
import { collectEntriesForBranchSummary } from './branch-summary.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import type { SessionManager } from './session-manager.js';

export interface NavigateTreeOptions {
  summarize?: boolean;
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

export interface NavigateTreeResult {
  /** The text of the user message that was gone back to, to be edited. */
  editorText?: string;
  cancelled: boolean;
}

/** Moves the leaf, to before a user message or to any other entry, and tells there what was left. Source: sdk document, "AgentSession". */
export async function navigateIn(
  { agent, manager }: { agent: Agent; manager: SessionManager },
  targetId: string,
  options: NavigateTreeOptions,
): Promise<NavigateTreeResult> {
  const target = manager.getEntry(targetId);
  if (!target) throw new CodedError(CODING_AGENT_ERRORS.ENTRY_NOT_FOUND, `Entry ${targetId} not found`, { data: { targetId } });
  const isUsers = (target.message as { role?: unknown } | undefined)?.role === 'user';
  const editorText = isUsers ? storedText(target) : undefined;
  return agent.alone('move in the tree', async (signal) => {
    const oldLeaf = manager.getLeafId();
    const { entries } = collectEntriesForBranchSummary(manager, oldLeaf, targetId);
    const messages = entries.flatMap((entry) => contextMessage(entry) ?? []);
    const written = options.summarize && messages.length > 0 ? await agent.summarizeBranch(messages, options, signal) : undefined;
    const leaf = isUsers ? target.parentId : targetId;
    if (leaf === null) manager.resetLeaf();
    else manager.branch(leaf);
    let labelled = targetId;
    if (written && oldLeaf !== null) {
      labelled = manager.appendBranchSummary(oldLeaf, written.summary, branchFiles(messages, entries), false, written.usage);
    }
    if (options.label !== undefined) manager.appendLabelChange(labelled, options.label);
    return { cancelled: false, ...(editorText === undefined ? {} : { editorText }) };
  });
}
