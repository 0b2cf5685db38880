import * as z from 'zod';
import { AgentMessageSchema } from '../messages.js';
import { ModelSchema, ThinkingLevelSchema } from '../model.js';
import { defineCommand } from './define.js';

export const QueueModeSchema = z.enum(['all', 'one-at-a-time']);
export type QueueMode = z.infer<typeof QueueModeSchema>;

export const SessionStateSchema = z.object({
  model: ModelSchema.nullable(),
  thinkingLevel: ThinkingLevelSchema,
  isStreaming: z.boolean(),
  isCompacting: z.boolean(),
  steeringMode: QueueModeSchema,
  followUpMode: QueueModeSchema,
  /** Missing with `--no-session`. */
  sessionFile: z.string().optional(),
  sessionId: z.string(),
  sessionName: z.string().optional(),
  autoCompactionEnabled: z.boolean(),
  messageCount: z.number().int(),
  pendingMessageCount: z.number().int(),
  /** Dialogs a run waits for (additive). */
  pendingDialogs: z.array(z.object({ id: z.string(), method: z.string(), title: z.string().optional() })).optional(),
});
export type SessionState = z.infer<typeof SessionStateSchema>;

export const getStateCommand = defineCommand({
  name: 'get_state',
  summary: 'The session at a glance. Answers within 50 ms whatever else is going on.',
  source: 'rpc-mode',
  params: z.object({}),
  result: SessionStateSchema,
});

export const getMessagesCommand = defineCommand({
  name: 'get_messages',
  summary: 'The messages of the current branch as the model sees them.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ messages: z.array(AgentMessageSchema) }),
});

export const getLastAssistantTextCommand = defineCommand({
  name: 'get_last_assistant_text',
  summary: 'The text of the last assistant message, without thinking; null when there is none.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ text: z.string().nullable() }),
});

export const setSteeringModeCommand = defineCommand({
  name: 'set_steering_mode',
  summary: 'Deliver queued steering messages all at once or one per turn.',
  source: 'rpc-mode',
  params: z.object({ mode: QueueModeSchema }),
});

export const setFollowUpModeCommand = defineCommand({
  name: 'set_follow_up_mode',
  summary: 'Deliver queued follow-ups all at once or one per stop.',
  source: 'rpc-mode',
  params: z.object({ mode: QueueModeSchema }),
});

export const setAutoRetryCommand = defineCommand({
  name: 'set_auto_retry',
  summary: 'Turn the automatic retry of transient provider errors on or off.',
  source: 'rpc-mode',
  params: z.object({ enabled: z.boolean() }),
});

export const abortRetryCommand = defineCommand({
  name: 'abort_retry',
  summary: 'Cancel a pending retry; the run ends with the error it had.',
  source: 'rpc-mode',
  params: z.object({}),
});

export const setAutoCompactionCommand = defineCommand({
  name: 'set_auto_compaction',
  summary: 'Turn automatic compaction on or off; remembered in settings.json.',
  source: 'rpc-mode',
  params: z.object({ enabled: z.boolean() }),
});

export const CapabilitiesSchema = z.object({
  version: z.string(),
  protocol: z.string(),
  commands: z.array(z.string()),
  events: z.array(z.string()),
  uiMethods: z.array(z.string()),
  flags: z.array(z.string()),
});

export const getCapabilitiesCommand = defineCommand({
  name: 'get_capabilities',
  summary: 'What this program can do: version, commands, events, dialog methods and command-line flags.',
  source: 'additive',
  params: z.object({}),
  result: CapabilitiesSchema,
});

export const getEventsCommand = defineCommand({
  name: 'get_events',
  summary: 'Replay recent records after sequence number `since` (needs `--seq`); `complete` is false when older ones are gone.',
  source: 'additive',
  params: z.object({ since: z.number().int() }),
  result: z.object({ events: z.array(z.unknown()), complete: z.boolean(), seq: z.number().int() }),
});

export const DiagnosticSchema = z.object({
  kind: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  path: z.string().optional(),
  line: z.number().int().optional(),
});
export type Diagnostic = z.infer<typeof DiagnosticSchema>;

export const getDiagnosticsCommand = defineCommand({
  name: 'get_diagnostics',
  summary: 'Every problem found in settings, models, context files, skills, templates and extensions, with path and line.',
  source: 'additive',
  params: z.object({}),
  result: z.object({ diagnostics: z.array(DiagnosticSchema) }),
});
