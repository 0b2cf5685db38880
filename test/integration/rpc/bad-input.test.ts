import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../core/protocol/commands/index.js';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

/** Commands that would start a process or a run, or replace the session under the test's feet when their fields happen to be right. */
const EFFECTS = new Set(['bash', 'prompt', 'new_session', 'switch_session', 'export_html']);

let sandbox: Sandbox;
let pi: PiProcess;

beforeAll(() => {
  sandbox = createSandbox();
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session']);
});
afterEach(() => {
  expect(pi.badLines).toEqual([]);
});
afterAll(async () => {
  expect(await pi.end()).toEqual({ code: 0, signal: null });
  sandbox.remove();
});

const responseTo = (id: unknown, from: number): Promise<Json> =>
  pi.find((record) => record.type === 'response' && record.id === id, from);

describe('bad input', () => {
  it.each(COMMANDS.map((command) => [command.name, Object.keys(command.params.shape)] as const))(
    'G5: %s answers exactly once to every wrong shape of its fields, with its id and a code',
    async (name, fields) => {
      const odd: unknown[] = [0, -1.5, true, '', 'x', [], ['x'], {}, { a: { b: [] } }, null];
      const sent: string[] = [];
      const from = pi.records.length;
      const send = (body: object): void => {
        const id = `${name}-${sent.length}`;
        sent.push(id);
        pi.send({ id, type: name, ...body });
      };
      for (const field of fields) for (const value of odd) if (!EFFECTS.has(name)) send({ [field]: value });
      for (const value of odd) send({ surplus: value, __proto__: 1, constructor: value, message: 5, command: 5, sessionPath: 5 });
      for (const id of sent) {
        const response = await responseTo(id, from);
        expect(response.command).toBe(name);
        if (!response.success)
          expect(response).toMatchObject({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/) });
      }
      expect(pi.records.slice(from).filter((record) => sent.includes(record.id))).toHaveLength(sent.length);
    },
  );

  it('G5: any JSON value in place of a command gets one answer, and the ones around it are answered too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.uuid(), async (value, id) => {
        const from = pi.records.length;
        pi.send({ id: `a${id}`, type: 'get_state' });
        pi.write(`${JSON.stringify(value)}\n`);
        pi.send({ id: `b${id}`, type: 'get_state' });
        await responseTo(`b${id}`, from);
        const answers = pi.records.slice(from).filter((record) => record.type === 'response');
        expect(answers).toHaveLength(3);
        expect(answers[1].success).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('a line that is cut in half, and bytes that are no UTF-8, cost only themselves', async () => {
    const from = pi.records.length;
    pi.write('{"id":"half","type":"get_st\n');
    pi.write(
      Buffer.concat([
        Buffer.from('{"id":"bytes","type":"get_state","x":"'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('"}\n'),
      ]),
    );
    pi.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    pi.send({ id: 'after', type: 'get_state' });
    await responseTo('after', from);
    const answers = pi.records.slice(from).filter((record) => record.type === 'response');
    expect(answers).toMatchObject([
      { command: 'parse', success: false, code: 'PARSE_FAILED' },
      { id: 'bytes', success: true },
      { command: 'parse', success: false },
      { id: 'after', success: true },
    ]);
    expect(answers[0]).not.toHaveProperty('id');
  });

  it('a line of 10 MB is read, and one of 70 MB refused, each with an answer', async () => {
    const from = pi.records.length;
    pi.send({ id: 'big', type: 'get_state', padding: 'x'.repeat(10 * 1024 * 1024) });
    pi.write('{"id":"huge","type":"get_state","padding":"');
    for (let i = 0; i < 70; i += 1) pi.write('x'.repeat(1024 * 1024));
    pi.write('"}\n');
    pi.send({ id: 'after-huge', type: 'get_state' });
    await responseTo('after-huge', from);
    const answers = pi.records.slice(from).filter((record) => record.type === 'response');
    expect(answers).toMatchObject([
      { id: 'big', success: true },
      { command: 'parse', success: false, code: 'LINE_TOO_LONG' },
      { id: 'after-huge', success: true },
    ]);
  });

  it('10 000 commands in one write are all answered, in order', async () => {
    const from = pi.records.length;
    const ids = Array.from({ length: 10_000 }, (_, index) => `m${index}`);
    pi.write(ids.map((id, index) => `${JSON.stringify({ id, type: index % 3 === 0 ? 'nonsense' : 'get_state' })}\n`).join(''));
    await responseTo('m9999', from);
    expect(pi.records.slice(from).map((record) => record.id)).toEqual(ids);
  });

  it.each([['text'], [7], [0], [''], [false], [null], [{ nested: [1] }], [['a']]])(
    'echoes the id %j exactly as sent',
    async (id) => {
      const from = pi.records.length;
      pi.send({ id, type: 'get_state' });
      const response = await pi.find((record) => record.type === 'response', from);
      expect(response.id).toEqual(id);
      pi.send({ id, type: 'nonsense' });
      expect((await pi.find((record) => record.type === 'response' && !record.success, from)).id).toEqual(id);
    },
  );

  it('G6: errors carry a stable code beside the text', async () => {
    expect(await pi.request({ type: 'nonsense' })).toMatchObject({ success: false, code: 'UNKNOWN_COMMAND' });
    expect(await pi.request({ type: 'prompt' })).toMatchObject({
      success: false,
      code: 'INVALID_PARAMS',
      error: expect.stringContaining('"message"'),
    });
    expect(await pi.request({ type: 'prompt', message: 'hi' })).toMatchObject({ success: false, code: 'NO_MODEL' });
    expect(await pi.request({ type: 'set_model', provider: 'x', modelId: 'y' })).toMatchObject({
      success: false,
      code: 'MODEL_NOT_FOUND',
      error: expect.stringContaining('x/y'),
    });
    expect(await pi.request({ type: 'set_session_name', name: '  ' })).toMatchObject({ success: false, code: 'EMPTY_NAME' });
  });
});
