import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../core/protocol/commands/index.js';
import { COMMAND_NAMES } from '../../../core/protocol/generated/names.gen.js';
import { UiResponseSchema } from '../../../core/protocol/ui.js';
import { isCommandName, validateCommand, validateUiResponse } from '../../../core/protocol/validators.js';

const errors: [name: (typeof COMMAND_NAMES)[number], fields: unknown, error: string][] = [
  ['prompt', {}, 'Invalid "prompt" command: "message" is required (string)'],
  ['prompt', { message: null }, 'Invalid "prompt" command: "message" is required (string)'],
  ['prompt', { message: 3 }, 'Invalid "prompt" command: "message" must be a string'],
  ['prompt', { message: 'x', images: {} }, 'Invalid "prompt" command: "images" must be an array'],
  [
    'prompt',
    { message: 'x', images: [{ type: 'image', data: 1, mimeType: 'a/b' }] },
    'Invalid "prompt" command: "images[0].data" must be a string',
  ],
  ['steer', { message: 'x', images: [{ type: 'image', data: '' }] }, 'Invalid "steer" command: "images[0].mimeType" is required'],
  [
    'steer',
    { message: 'x', images: [{ type: 'text', data: '', mimeType: '' }] },
    'Invalid "steer" command: "images[0].type" must be "image"',
  ],
  [
    'prompt',
    { message: 'x', streamingBehavior: 'no' },
    'Invalid "prompt" command: "streamingBehavior" must be "steer" or "followUp"',
  ],
  ['set_steering_mode', {}, 'Invalid "set_steering_mode" command: "mode" is required ("all" or "one-at-a-time")'],
  ['get_events', { since: 1.5 }, 'Invalid "get_events" command: "since" must be an integer'],
  ['switch_session', { sessionPath: '' }, 'Invalid "switch_session" command: "sessionPath" must not be empty'],
  ['abort', [], 'Invalid "abort" command: it must be an object'],
];

describe('validateCommand', () => {
  it.each(errors)('names the field at fault: %s %j', (name, fields, error) => {
    expect(validateCommand(name, fields)).toEqual({ ok: false, error });
  });

  it('accepts surplus fields and takes null for a field that is left out', () => {
    expect(validateCommand('prompt', { id: 1, type: 'prompt', message: 'hi', images: null, colour: 'red' })).toEqual({
      ok: true,
      params: { id: 1, type: 'prompt', message: 'hi', colour: 'red' },
    });
  });

  it('accepts exactly what the schema accepts', () => {
    const field = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ min: -1e6, max: 1e6 }),
      fc.boolean(),
      fc.constantFrom('steer', 'followUp', 'all', 'off', 'max', ''),
      fc.array(fc.record({ type: fc.constant('image'), data: fc.string(), mimeType: fc.oneof(fc.string(), fc.integer()) })),
    );
    for (const command of COMMANDS) {
      const shape = Object.fromEntries(
        Object.keys(command.params.shape).map((key) => [key, fc.option(field, { nil: undefined })]),
      );
      fc.assert(
        fc.property(fc.record({ ...shape, extra: field }), (value) => {
          const fields = JSON.parse(JSON.stringify(value));
          for (const [key, content] of Object.entries(fields)) if (content === null) delete fields[key];
          expect(validateCommand(command.name, fields).ok).toBe(command.params.safeParse(fields).success);
        }),
        { numRuns: 200 },
      );
    }
  });

  it('never throws and never alters what it was given', () => {
    fc.assert(
      fc.property(fc.constantFrom(...COMMAND_NAMES), fc.jsonValue(), (name, value) => {
        const before = JSON.stringify(value);
        expect(['boolean']).toContain(typeof validateCommand(name, value).ok);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});

describe('isCommandName', () => {
  it('knows every declared command and no property of Object', () => {
    expect(COMMANDS.map((command) => command.name)).toEqual([...COMMAND_NAMES]);
    for (const name of COMMAND_NAMES) expect(isCommandName(name)).toBe(true);
    for (const name of ['__proto__', 'constructor', 'toString', '', 'Prompt', 3, null, undefined])
      expect(isCommandName(name)).toBe(false);
  });
});

describe('validateUiResponse', () => {
  it.each([
    { type: 'extension_ui_response', id: 'a', value: 'x' },
    { type: 'extension_ui_response', id: 'a', confirmed: false },
    { type: 'extension_ui_response', id: 'a', cancelled: true },
  ])('accepts %j', (answer) => {
    expect(UiResponseSchema.safeParse(answer).success).toBe(true);
    expect(validateUiResponse(answer)).toEqual({ ok: true, params: answer });
  });

  it('names the field at fault', () => {
    expect(validateUiResponse({ type: 'extension_ui_response' })).toEqual({
      ok: false,
      error: 'Invalid "extension_ui_response": "id" is required (string)',
    });
  });
});

describe('generated files', () => {
  it('are what the schemas give now', () => {
    const root = new URL('../../../', import.meta.url);
    const output = execFileSync(process.execPath, ['scripts/generate.mjs', '--check'], { cwd: root, encoding: 'utf8' });
    expect(output).toContain('up to date');
  });
});
