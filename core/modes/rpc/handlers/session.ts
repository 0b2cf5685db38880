import { RawJson } from '../../../base/raw-json.js';
import type { SessionStats } from '../../../protocol/commands/session.js';
import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function sessionHandlers({
  agent,
  session,
  models,
}: RpcServices): Pick<
  Handlers,
  | 'new_session'
  | 'switch_session'
  | 'fork'
  | 'clone'
  | 'get_fork_messages'
  | 'get_entries'
  | 'get_tree'
  | 'set_session_name'
  | 'get_session_stats'
  | 'export_html'
  | 'compact'
  | 'navigate_tree'
  | 'set_label'
  | 'list_sessions'
> {
  return {
    new_session: { order: 'ordered', run: ({ parentSession }) => session.startNew(parentSession) },
    switch_session: { order: 'ordered', run: ({ sessionPath }) => session.switchTo(sessionPath) },
    fork: { order: 'ordered', run: ({ entryId }) => session.fork(entryId) },
    clone: { order: 'ordered', run: () => session.clone() },
    get_fork_messages: { order: 'now', run: () => ({ messages: session.forkMessages() }) },
    get_entries: { order: 'now', run: ({ since }) => withLeaf('entries', session.entries(since), session.leafId) },
    get_tree: { order: 'now', run: () => withLeaf('tree', session.tree(), session.leafId) },
    set_session_name: { order: 'ordered', run: ({ name }) => void session.setName(name) },
    get_session_stats: {
      order: 'now',
      run: () => {
        const { contextTokens, ...stats } = session.stats();
        const usage = contextUsage(contextTokens, models.model?.contextWindow);
        return usage ? { ...stats, contextUsage: usage } : stats;
      },
    },
    navigate_tree: {
      order: 'ordered',
      run({ entryId, ...options }, call) {
        const result = session.navigate(entryId, options);
        // A summary takes as long as a model does; an abort must not wait for it.
        call.release();
        return result;
      },
    },
    set_label: { order: 'ordered', run: ({ entryId, label }) => void session.setLabel(entryId, label) },
    list_sessions: { order: 'now', run: ({ limit }) => ({ sessions: session.list(limit) }) },
    export_html: { order: 'ordered', run: async ({ outputPath }) => ({ path: await session.exportHtml(outputPath) }) },
    compact: {
      order: 'ordered',
      run({ customInstructions }, call) {
        const result = agent.compact(customInstructions);
        // It takes as long as a model does: what comes meanwhile, an abort above all, must not wait for it.
        call.release();
        return result;
      },
    },
  };
}

/** Stored text goes out as it is; anything else is encoded with the response. */
function withLeaf(key: 'entries' | 'tree', value: RawJson | readonly unknown[], leafId: string | null): RawJson {
  const json = value instanceof RawJson ? value : new RawJson(JSON.stringify(value));
  return json.within(`{"${key}":`, `,"leafId":${JSON.stringify(leafId)}}`);
}

function contextUsage(tokens: number | null, contextWindow: number | undefined): SessionStats['contextUsage'] {
  if (contextWindow === undefined) return undefined;
  return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
}
