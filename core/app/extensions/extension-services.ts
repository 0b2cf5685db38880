import type { Agent } from '../../agent/agent.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import { CodedError, messageOf } from '../../base/coded-error.js';
import type { ExtensionServices } from '../../extension-host/host/extensions.js';
import type { UserContent } from '../../protocol/content.js';
import type { NewEntry } from '../../protocol/entries.js';
import type { AgentEvent } from '../../protocol/events.js';
import { isThinkingLevel } from '../../providers/thinking.js';
import type { SessionHolder } from '../session-holder.js';
import type { ActiveTools } from './active-tools.js';
import { toCustomMessage } from './agent-hooks.js';
import type { ModelAccess } from './model-access.js';
import { createOutsideServices, type OutsideServicesOptions } from './outside-services.js';

export interface ExtensionServicesOptions extends OutsideServicesOptions {
  agent: () => Agent;
  models: () => ModelChoice;
  session: () => SessionHolder;
  tools: ActiveTools;
  access: ModelAccess;
  /** What an extension lets the user say. */
  sendUser: (content: string | UserContent[], deliverAs: 'steer' | 'followUp' | undefined) => Promise<void>;
  emit: (event: AgentEvent) => void;
  /** Something an extension asked for could not be done, and nobody waits for it. */
  onFailed: (extension: string, what: string, error: unknown) => void;
  shutdown: () => void;
  reload: () => Promise<void>;
  setVariable: (name: string, value: string | undefined) => void;
  /** Extensions see these kinds of state anew before anything else reaches them. */
  touch: (...topics: ('agent' | 'session' | 'tools' | 'commands' | 'models')[]) => void;
}

const BAD_REQUEST = 'EXTENSION_BAD_REQUEST';
const bad = (message: string): CodedError => new CodedError(BAD_REQUEST, message);

/** What extensions may do to the session and the agent. Each refuses what can't be done with an error that the extension gets. */
export function createExtensionServices(options: ExtensionServicesOptions): ExtensionServices {
  const { agent, models, session, tools, access, emit, onFailed, touch } = options;
  const append = (entry: NewEntry): string => {
    const stored = session().current.append(entry);
    touch('session', 'agent');
    if (ANNOUNCED.has(stored.type)) emit({ type: 'entry_appended', entry: stored });
    return stored.id;
  };
  return {
    'session.append_entry': ([, customType, data]) =>
      append({ type: 'custom', customType, ...(data !== null && { data }) } as NewEntry),
    'session.append': ([, entry]) => {
      const { id, parentId, timestamp, ...rest } = entry;
      void id;
      void parentId;
      void timestamp;
      if (typeof rest.type !== 'string') throw bad('An entry needs a type');
      return append(rest as unknown as NewEntry);
    },
    'session.set_label': ([, entryId, label]) => {
      session().setLabel(entryId, label ?? undefined);
      touch('session');
      return true;
    },
    'session.set_name': ([, name]) => {
      session().setName(name);
      touch('session');
      return true;
    },
    'session.send_message': ([extension, message, how]) => {
      const custom = toCustomMessage(message);
      if (!custom) throw bad('pi.sendMessage needs a message with customType and content');
      const { triggerTurn, deliverAs } = how;
      agent()
        .sendCustomMessage(custom, {
          triggerTurn: triggerTurn === true,
          ...(isOneOf(deliverAs, ['steer', 'followUp', 'nextTurn'] as const) && { deliverAs }),
        })
        .catch((error: unknown) => onFailed(extension, 'sendMessage', error));
      touch('session', 'agent');
      return true;
    },
    'session.send_user_message': ([extension, content, { deliverAs }]) => {
      if (typeof content !== 'string' && !Array.isArray(content))
        throw bad('pi.sendUserMessage needs a text or a list of content');
      const how = isOneOf(deliverAs, ['steer', 'followUp'] as const) ? deliverAs : undefined;
      if (agent().isRunning && how === undefined)
        throw new CodedError('AGENT_BUSY', 'pi.sendUserMessage: the agent is working. Set deliverAs to "steer" or "followUp"');
      options
        .sendUser(content as string | UserContent[], how)
        .catch((error: unknown) => onFailed(extension, 'sendUserMessage', error));
      touch('session', 'agent');
      return true;
    },
    'agent.set_thinking_level': ([, level]) => {
      if (!isThinkingLevel(level)) throw bad(`There is no thinking level "${level}"`);
      models().setLevel(level);
      touch('agent', 'session');
      return true;
    },
    'agent.set_tools': ([, names]) => {
      tools.set(names);
      touch('agent', 'tools');
      return true;
    },
    'agent.abort': ([extension]) => {
      agent()
        .abort()
        .catch((error: unknown) => onFailed(extension, 'abort', error));
      return true;
    },
    'agent.shutdown': () => {
      options.shutdown();
      return true;
    },
    'agent.set_model': async ([, provider, id]) => {
      const model = await access.usable(provider, id);
      if (!model) return false;
      models().use(model);
      touch('agent', 'session');
      return true;
    },
    'agent.compact': async ([, instructions]) => ({ ...(await agent().compact(instructions ?? undefined)) }),
    'agent.wait_for_idle': async () => {
      await agent().whenIdle();
      return true;
    },
    'session.new': async ([, { parentSession, entries }]) => ({
      ...(await session().startNew(typeof parentSession === 'string' ? parentSession : undefined, asEntries(entries))),
    }),
    'session.fork': async ([, entryId, { position }]) => ({
      ...(position === 'at' ? await session().clone(entryId) : await session().fork(entryId)),
    }),
    'session.switch': async ([, path]) => ({ ...(await session().switchTo(path)) }),
    'session.navigate': async ([, entryId, how]) => ({ ...(await session().navigate(entryId, how)) }),
    'session.reload': async () => {
      await options.reload();
      return true;
    },
    'models.auth': async ([, provider, id]) => {
      try {
        return { ok: true, ...(await access.credentials(provider, id ?? undefined)) };
      } catch (error) {
        return { ok: false, error: messageOf(error) };
      }
    },
    'models.stream': ([extension, request], { signal, progress }) =>
      access.stream(request, signal, progress, options.recordOf(extension).spec.level === 'trusted'),
    'models.refresh': async () => {
      await access.refresh();
      touch('models');
      return true;
    },
    ...createOutsideServices(options),
    'env.set': ([name, value]) => options.setVariable(name, value ?? undefined),
  };
}

/** Entries that clients hear of. Messages have events of their own. Source: 1.6.0, `entry_appended`. */
const ANNOUNCED: ReadonlySet<string> = new Set(['custom', 'label', 'session_info', 'compaction', 'branch_summary']);

function isOneOf<const T extends string>(value: unknown, words: readonly T[]): value is T {
  return words.some((word) => word === value);
}

function asEntries(value: unknown): NewEntry[] {
  return (Array.isArray(value) ? value : []).filter((entry) => typeof entry?.type === 'string') as NewEntry[];
}
