import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { COMMANDS } from '../../core/protocol/commands/index.js';
import { ImageContentSchema } from '../../core/protocol/content.js';
import { SessionHeaderSchema } from '../../core/protocol/entries.js';
import { AgentEventSchema } from '../../core/protocol/events.js';
import { EVENT_TYPES, MESSAGE_ROLES, UI_METHODS } from '../../core/protocol/generated/names.gen.js';
import { AgentMessageSchema, AttachmentSchema } from '../../core/protocol/messages.js';
import { ModelSchema } from '../../core/protocol/model.js';
import { ResponseSchema } from '../../core/protocol/responses.js';
import { UiRequestSchema, UiResponseSchema } from '../../core/protocol/ui.js';
import { validateCommand, validateUiResponse } from '../../core/protocol/validators.js';
import { verifies } from './requirements.js';
import seed from './seed-records.json' with { type: 'json' };

type Record_ = Record<string, unknown>;
/** Stands where the document prints dots. */
const ELIDED = '…';

interface Printed {
  where: string;
  record: Record_;
}

const printed: Printed[] = seed.records.map(({ document, line, text }) => ({
  where: `${document}:${line}`,
  record: JSON.parse(
    text
      .replace(/\{\.\.\.\}/g, `{"${ELIDED}":true}`)
      .replace(/\[\.\.\.\]/g, '[]')
      .replace(/,\s*\.\.\.\}/g, `,"${ELIDED}":true}`),
  ),
}));

const isObject = (value: unknown): value is Record_ => typeof value === 'object' && value !== null && !Array.isArray(value);
const theOne = (fits: (record: Record_) => boolean): Record_ => {
  const found = printed.find(({ record }) => fits(record));
  if (!found) throw new Error('the documents print no such record');
  return found.record;
};

/** What the documents print elsewhere for what they leave out here. */
const MODEL = theOne((record) => 'contextWindow' in record);
const ASSISTANT = theOne((record) => record.role === 'assistant');
const FILLINGS: Record<string, Record_> = { model: MODEL, data: MODEL, message: ASSISTANT, details: {} };

function fill(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item));
  if (!isObject(value)) return value;
  const { [ELIDED]: elided, ...fields } = value;
  const filled = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fill(field, name)]));
  return elided ? { ...FILLINGS[key], ...filled } : filled;
}

const eventTypes: ReadonlySet<unknown> = new Set(EVENT_TYPES);
const commandOf = (record: Record_) => COMMANDS.find((command) => command.name === record.type);
const kindOf = (record: Record_): string => {
  if (record.type === 'response' || (Object.keys(record).join() === 'text' && record.text === null)) return 'response';
  if (record.type === 'extension_ui_request' || record.type === 'extension_ui_response') return 'dialog';
  if (record.type === 'session') return 'header';
  if (commandOf(record)) return 'command';
  if (eventTypes.has(record.type)) return 'event';
  if ('role' in record || 'contextWindow' in record || record.type === 'image') return 'type';
  return 'unknown';
};
const ofKind = (kind: string): [where: string, name: unknown, record: Record_][] =>
  printed
    .filter(({ record }) => kindOf(record) === kind)
    .map(({ where, record }) => [where, record.type ?? record.role ?? 'model', fill(record) as Record_]);

/** A schema drops fields it does not declare: what comes out equals what was printed only if each of them is declared. */
const keepsAll = (schema: z.ZodType, value: unknown): void => {
  expect(schema.parse(value)).toEqual(value);
};

it('the printed records are all there, each of a known kind', () => {
  expect(printed).toHaveLength(134);
  expect(printed.filter(({ record }) => kindOf(record) === 'unknown').map(({ where }) => where)).toEqual([]);
});

describe(verifies('commands'), () => {
  it.each(ofKind('command'))('%s %s', (_where, _name, record) => {
    const command = commandOf(record);
    if (!command) throw new Error('not a command');
    const { id: _id, type: _type, ...fields } = record;
    keepsAll(command.params, fields);
    expect(validateCommand(command.name, record)).toEqual({ ok: true, params: record });
  });
});

describe(verifies('responses'), () => {
  it.each(ofKind('response'))('%s %s', (_where, _name, record) => {
    if (record.type !== 'response') return keepsAll(resultOf('get_last_assistant_text'), record);
    keepsAll(ResponseSchema, record);
    if ('data' in record) keepsAll(resultOf(record.command), record.data);
  });

  function resultOf(name: unknown): z.ZodType {
    const result = COMMANDS.find((command) => command.name === name)?.result;
    if (!result) throw new Error(`${name} has no result`);
    return result;
  }
});

describe(verifies('events'), () => {
  it.each(ofKind('event'))('%s %s', (_where, _name, record) => {
    keepsAll(AgentEventSchema, record);
  });
});

describe(verifies('dialogs'), () => {
  it.each(ofKind('dialog'))('%s %s', (_where, name, record) => {
    keepsAll(name === 'extension_ui_request' ? UiRequestSchema : UiResponseSchema, record);
    if (name === 'extension_ui_response') expect(validateUiResponse(record).ok).toBe(true);
  });
});

describe(verifies('types'), () => {
  it.each(ofKind('type'))('%s %s', (_where, _name, record) => {
    if ('role' in record) keepsAll(AgentMessageSchema, record);
    else if ('contextWindow' in record) keepsAll(ModelSchema, record);
    else keepsAll('fileName' in record ? AttachmentSchema : ImageContentSchema, record);
  });
});

describe(verifies('header'), () => {
  it.each(ofKind('header'))('%s %s', (_where, _name, record) => {
    keepsAll(SessionHeaderSchema, record);
  });
});

it('every dialog method and message role is one the documents name', () => {
  expect(new Set(printed.flatMap(({ record }) => record.method ?? []))).toEqual(new Set(UI_METHODS));
  const roles = ['user', 'assistant', 'toolResult', 'bashExecution', 'custom', 'branchSummary', 'compactionSummary'];
  expect([...MESSAGE_ROLES].sort()).toEqual(roles.sort());
});
