import type { Result } from '../../../protocol/commands/index.js';
import { COMMAND_NAMES, EVENT_TYPES, UI_METHODS } from '../../../protocol/generated/names.gen.js';
import type { RecordQueue } from '../../output/record-queue.js';
import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

/** The protocol this program speaks: that of the existing program's version 0.84.0, plus what `get_capabilities` lists. */
export const PROTOCOL_VERSION = '0.84.0';

export function stateHandlers(
  services: RpcServices,
  records: RecordQueue,
): Pick<
  Handlers,
  | 'get_state'
  | 'get_messages'
  | 'get_last_assistant_text'
  | 'set_steering_mode'
  | 'set_follow_up_mode'
  | 'set_auto_compaction'
  | 'get_capabilities'
  | 'get_diagnostics'
  | 'get_events'
  | 'get_commands'
> {
  const { agent, models, session, autoCompaction, extensions } = services;
  const state = (): Result<'get_state'> => ({
    model: models.model ?? null,
    thinkingLevel: models.thinkingLevel,
    isStreaming: agent.isRunning,
    isCompacting: agent.isCompacting,
    steeringMode: agent.queues.modes.steering,
    followUpMode: agent.queues.modes.followUp,
    ...(session.file === undefined ? {} : { sessionFile: session.file }),
    sessionId: session.id,
    ...(session.name === undefined ? {} : { sessionName: session.name }),
    autoCompactionEnabled: autoCompaction.enabled,
    messageCount: session.messageCount,
    pendingMessageCount: agent.queues.size,
    pendingDialogs: extensions.pendingDialogs,
  });
  return {
    get_state: {
      order: 'now',
      run: () => (extensions.isModelSettled ? state() : extensions.ready.then(state)),
    },
    get_messages: { order: 'now', run: () => session.messagesJson().within('{"messages":', '}') },
    get_last_assistant_text: { order: 'now', run: () => ({ text: session.lastAssistantText() }) },
    set_steering_mode: {
      order: 'ordered',
      run: async ({ mode }) => {
        agent.queues.modes.steering = mode;
        await services.remember('steeringMode', mode);
        return undefined;
      },
    },
    set_follow_up_mode: {
      order: 'ordered',
      run: async ({ mode }) => {
        agent.queues.modes.followUp = mode;
        await services.remember('followUpMode', mode);
        return undefined;
      },
    },
    set_auto_compaction: {
      order: 'ordered',
      run: async ({ enabled }) => {
        await autoCompaction.set(enabled);
        return undefined;
      },
    },
    get_capabilities: {
      order: 'now',
      run: () => ({
        version: services.capabilities.version,
        protocol: PROTOCOL_VERSION,
        commands: [...COMMAND_NAMES],
        events: [...EVENT_TYPES],
        uiMethods: [...UI_METHODS],
        flags: [...services.capabilities.flags],
      }),
    },
    get_diagnostics: { order: 'now', run: async () => ({ diagnostics: [...(await services.diagnostics())] }) },
    get_events: {
      order: 'now',
      run: ({ since }) => {
        const { events, complete } = records.replay(since);
        return events.within('{"events":', `,"complete":${complete},"seq":${records.seq}}`);
      },
    },
    get_commands: { order: 'ordered', run: async () => ({ commands: await services.slashCommands() }) },
  };
}
