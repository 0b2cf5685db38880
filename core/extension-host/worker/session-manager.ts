import type { StoredEntry } from '../../protocol/commands/session.js';
import type { SessionHeader } from '../../protocol/entries.js';
import { SessionView } from '../../session/session-view.js';
import type { ReadonlySessionManager } from '../contract/public.js';
import type { CorePort } from './core-port.js';
import type { ExtensionInstance } from './instance.js';

/**
 * `ctx.sessionManager`: reads the core's session as it is now, and appends to it. The appends are not documented; extensions use them all
 * the same. One view serves all instances of a worker.
 */
export function createSessionReader(core: CorePort): SessionView {
  const { state } = core;
  return new SessionView({
    // The core writes entries and nothing else to this topic.
    entries: () => state.entries() as readonly StoredEntry[],
    leafId: () => state.session().leafId,
    header: () => state.session().header as unknown as SessionHeader,
    file: () => state.session().file,
    dir: () => state.session().dir,
  });
}

export function createSessionManager(instance: ExtensionInstance, core: CorePort, view: SessionView): ReadonlySessionManager {
  const append = (entry: Record<string, unknown>): string => core.sync('session.append', [instance.name, entry]);
  const appends = {
    appendMessage: (message: unknown) => append({ type: 'message', message }),
    appendThinkingLevelChange: (thinkingLevel: string) => append({ type: 'thinking_level_change', thinkingLevel }),
    appendModelChange: (provider: string, modelId: string) => append({ type: 'model_change', provider, modelId }),
    appendCustomEntry: (customType: string, data?: unknown) => append({ type: 'custom', customType, data }),
    appendCustomMessageEntry: (customType: string, content: unknown, display: boolean, details?: unknown) =>
      append({ type: 'custom_message', customType, content, display, details }),
    appendSessionInfo: (name: string) => append({ type: 'session_info', name }),
    appendLabelChange: (targetId: string, label?: string) => append({ type: 'label', targetId, label }),
    getLeafUuid: () => view.getLeafId(),
  };
  // Of the view its documented methods; of an old instance none.
  return new Proxy(view as unknown as ReadonlySessionManager, {
    get(target, member) {
      instance.assertAlive(`ctx.sessionManager.${String(member)}`);
      if (typeof member === 'string' && Object.hasOwn(appends, member)) return appends[member as keyof typeof appends];
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
