import type { SessionLog } from '../../../agent/ports.js';
import { CodedError } from '../../../base/coded-error.js';
import type { CompactionPlanResult } from '../../../protocol/compaction-plan.js';
import type { NewEntry, SessionEntry } from '../../../protocol/entries.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import { planCompaction } from '../../../session/compaction-plan.js';
import { contextTokens, estimateTokens } from '../../../session/context-tokens.js';
import { contextMessage, retainedTail } from '../../../session/stored-message.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import type { SessionManager } from './session-manager.js';

/** A session manager as the agent writes to it. */
export function sessionLogOf(manager: SessionManager): SessionLog {
  const messages = (): AgentMessage[] => manager.buildSessionContext().messages;
  /** Without what a compaction kept: usage from before it says nothing about the context. */
  const sinceCompaction = (): { recent: AgentMessage[]; isCompacted: boolean } => {
    const branch = manager.getBranch();
    const at = branch.findLastIndex(({ type }) => type === 'compaction');
    return { recent: branch.slice(at + 1).flatMap((entry) => contextMessage(entry) ?? []), isCompacted: at >= 0 };
  };
  const tokens = (): number | null => {
    const { recent, isCompacted } = sinceCompaction();
    return contextTokens(recent.reverse(), isCompacted);
  };
  const estimate = (): number => messages().reduce((sum, message) => sum + estimateTokens(message), 0);
  return {
    get id() {
      return manager.getSessionId();
    },
    get leafId() {
      return manager.getLeafId();
    },
    append: (entry) => append(manager, entry),
    // Whether a file may be written shows at the first write.
    claim: () => undefined,
    parentOf: (id) => {
      const parent = mustGet(manager, id).parentId;
      return parent !== null && manager.getEntry(parent) ? parent : null;
    },
    branch: () => manager.getBranch(),
    setLeaf: (id) => (id === null ? manager.resetLeaf() : manager.branch(id)),
    contextMessages: messages,
    contextTokens: tokens,
    estimateContext: estimate,
    planCompaction: (keepRecentTokens) => plan(manager, keepRecentTokens, tokens() ?? estimate()),
  };
}

function append(manager: SessionManager, entry: NewEntry): SessionEntry {
  const id = idOf(manager, entry);
  return mustGet(manager, id) as SessionEntry; // just made from one
}

function idOf(manager: SessionManager, entry: NewEntry): string {
  switch (entry.type) {
    case 'message':
      return manager.appendMessage(entry.message);
    case 'model_change':
      return manager.appendModelChange(entry.provider, entry.modelId);
    case 'thinking_level_change':
      return manager.appendThinkingLevelChange(entry.thinkingLevel);
    case 'custom':
      return manager.appendCustomEntry(entry.customType, entry.data);
    case 'custom_message':
      return manager.appendCustomMessageEntry(entry.customType, entry.content, entry.display, entry.details);
    case 'session_info':
      return manager.appendSessionInfo(entry.name ?? '');
    case 'label':
      return manager.appendLabelChange(entry.targetId, entry.label);
    case 'compaction': {
      const { summary, firstKeptEntryId, tokensBefore, details, fromHook, usage } = entry;
      return manager.appendCompaction(summary, firstKeptEntryId, tokensBefore, details, fromHook, usage);
    }
    case 'branch_summary': {
      const { fromId, summary, details, fromHook, usage } = entry;
      return manager.appendBranchSummary(fromId, summary, details, fromHook, usage);
    }
  }
}

function plan(manager: SessionManager, keepRecentTokens: number, tokensBefore: number): CompactionPlanResult {
  const entries = manager.buildContextEntries();
  const compaction = entries[0]?.type === 'compaction' ? entries[0] : undefined;
  const items = entries.slice(compaction ? 1 : 0).flatMap((entry) => {
    const message = contextMessage(entry);
    return message ? [{ id: entry.id, message }] : [];
  });
  const branch = manager.getBranch();
  const after = compaction ? branch.slice(branch.indexOf(compaction) + 1) : branch;
  const summary = typeof compaction?.summary === 'string' ? compaction.summary : '';
  return planCompaction(
    {
      items,
      carried: (compaction && retainedTail(compaction)) ?? [],
      previous: compaction && { summary, details: compaction.details },
      isFresh: compaction !== undefined && !after.some((entry) => contextMessage(entry) !== undefined),
      tokensBefore,
    },
    keepRecentTokens,
  );
}

function mustGet(manager: SessionManager, id: string) {
  const entry = manager.getEntry(id);
  if (!entry) throw new CodedError(CODING_AGENT_ERRORS.ENTRY_NOT_FOUND, `Entry ${id} not found`, { data: { id } });
  return entry;
}
