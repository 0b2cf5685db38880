import { CodedError } from '../base/coded-error.js';
import type { CompactionPlan } from '../protocol/compaction-plan.js';
import type { CompactionReason } from '../protocol/events.js';
import type { Usage } from '../protocol/usage.js';
import { AGENT_ERRORS } from './errors.js';
import type { AgentHooks } from './hooks.js';
import { orAborted } from './patience.js';
import type { SessionLog } from './ports.js';

/** What takes the place of the older context. */
export interface GivenCompaction {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: unknown;
  usage?: Usage;
}

export interface CompactionHookRequest {
  hooks: AgentHooks;
  session: SessionLog;
  settings: { reserveTokens: number; keepRecentTokens: number };
  plan: CompactionPlan;
  reason: CompactionReason;
  customInstructions: string | undefined;
  signal: AbortSignal;
}

/**
 * The compaction that an extension gives; undefined when the model is to write it. Throws `COMPACTION_CANCELLED`,
 * `COMPACTION_REFUSED` for one that can't be used, `ABORTED`.
 */
export async function compactionOfHook(request: CompactionHookRequest): Promise<GivenCompaction | undefined> {
  const { hooks, session, settings, plan, reason, customInstructions, signal } = request;
  const asked = hooks.beforeCompact(
    {
      preparation: {
        firstKeptEntryId: plan.firstKeptEntryId,
        messagesToSummarize: plan.messages,
        turnPrefixMessages: plan.turnPrefix,
        isSplitTurn: plan.turnPrefix.length > 0,
        ...(plan.previousSummary === undefined ? {} : { previousSummary: plan.previousSummary }),
        tokensBefore: plan.tokensBefore,
        fileOps: plan.files,
        settings,
      },
      branchEntries: () => session.branch(),
      ...(customInstructions === undefined ? {} : { customInstructions }),
      reason,
      willRetry: reason === 'overflow',
    },
    signal,
  );
  const answer = asked && (await orAborted(asked, signal));
  if (answer?.cancel) throw new CodedError(AGENT_ERRORS.COMPACTION_CANCELLED, 'The compaction was cancelled by an extension');
  const given = answer?.compaction;
  if (given && !session.branch().some(({ id }) => id === given.firstKeptEntryId)) {
    throw new CodedError(
      AGENT_ERRORS.COMPACTION_REFUSED,
      `The compaction of an extension keeps everything from "${given.firstKeptEntryId}" on, which is no entry of this branch`,
    );
  }
  return given;
}
