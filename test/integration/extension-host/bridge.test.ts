import { afterEach, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../core/protocol/tool.js';
import { ENTRY, extension, TestHost, toolSource } from './support.js';

let running: TestHost | undefined;

afterEach(() => running?.dispose());

async function start(extensions: Record<string, string>, entries: string[] = []): Promise<TestHost> {
  running = new TestHost({ entry: ENTRY, extensions, entries });
  return running.load();
}

describe('a tool_call handler', () => {
  it('changes the input in place, one after another in load order', async () => {
    const host = await start({
      first: extension(`pi.on('tool_call', (event) => { event.input.trail.push('first'); });`),
      second: extension(
        `pi.on('tool_call', async (event) => { await null; event.input.trail.push('second'); delete event.input.old; });`,
      ),
    });
    const input = { trail: ['core'], old: 1 };
    await expect(host.gate(input)).resolves.toEqual({ input: { trail: ['core', 'first', 'second'] } });
    expect(input).toEqual({ trail: ['core'], old: 1 });
  });

  it('blocks with its reason, and later ones are not asked', async () => {
    const host = await start({
      guard: extension(`pi.on('tool_call', () => ({ block: true, reason: 'not today' }));`),
      later: extension(`pi.on('tool_call', (event) => { event.input.asked = true; });`),
    });
    await expect(host.gate({ a: 1 })).resolves.toEqual({ input: { a: 1 }, blocked: 'not today' });
  });

  it('G12: that throws blocks the call, and the failure names it', async () => {
    const host = await start({ faulty: extension(`pi.on('tool_call', () => { throw new Error('oh no'); });`) });
    const verdict = await host.gate();
    expect(verdict.blocked).toBe('oh no');
    expect(host.problems).toMatchObject([{ extension: 'faulty', event: 'tool_call', error: 'oh no' }]);
    expect(host.problems[0]?.stack).toContain('faulty.mjs');
  });

  it('is not asked when nobody subscribed, nor after it unsubscribed', async () => {
    const host = await start({
      once: extension(`const off = pi.on('tool_call', (event) => { off(); event.input.asked = true; });`),
    });
    expect(host.extensions.listens('tool_call')).toBe(true);
    expect((await host.gate()).input).toEqual({ asked: true });
    await host.until(() => !host.extensions.listens('tool_call'));
    expect((await host.gate()).input).toEqual({});
  });

  it('that waits is left when the run is aborted', async () => {
    const host = await start({ slow: extension(`pi.on('tool_call', () => new Promise(() => {}));`) });
    const aborting = new AbortController();
    const verdict = host.gate({}, aborting.signal);
    aborting.abort();
    await expect(verdict).resolves.toEqual({ input: {} });
  });
});

describe('a tool of an extension', () => {
  it('gets its arguments, sends updates and answers', async () => {
    const host = await start({
      echo: extension(
        toolSource(
          'echo',
          `for (const text of ['one', 'two']) onUpdate({ content: [{ type: 'text', text }], details: { text } });
           return JSON.stringify([toolCallId, params]);`,
        ),
      ),
    });
    const updates: ToolResult[] = [];
    await expect(host.run('echo', { a: ['é\u2028'] }, { updates })).resolves.toEqual({
      content: [{ type: 'text', text: '["call-2",{"a":["é\u2028"]}]' }],
    });
    expect(updates.map((update) => update.details)).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('sees an abort on a real AbortSignal, and may still answer', async () => {
    const host = await start({
      patient: extension(
        toolSource(
          'wait',
          `onUpdate({ content: [] });
           if (!(signal instanceof AbortSignal)) return 'no signal';
           await new Promise((resolve) => signal.addEventListener('abort', resolve));
           return 'aborted: ' + signal.aborted;`,
        ),
      ),
    });
    const aborting = new AbortController();
    const updates: ToolResult[] = [];
    const result = host.run('wait', {}, { signal: aborting.signal, updates });
    await host.until(() => updates.length > 0);
    aborting.abort();
    await expect(result).resolves.toEqual({ content: [{ type: 'text', text: 'aborted: true' }] });
  });

  it('that ignores an abort is left behind', async () => {
    const host = await start({ deaf: extension(toolSource('deaf', 'await new Promise(() => {});')) });
    await expect(host.run('deaf', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('that throws or answers nonsense is an error with what it said', async () => {
    const host = await start({
      faulty: extension(
        toolSource('throws', `throw new TypeError('bad thing');`),
        `pi.registerTool({ name: 'nonsense', description: '', parameters: {}, execute: () => ({ content: 'text' }) });`,
        `pi.registerTool({ name: 'video', description: '', parameters: {}, execute: () => ({ content: [{ type: 'video' }] }) });`,
        `pi.registerTool({ name: 'cycle', description: '', parameters: {}, execute: () => { const a = { content: [] }; a.details = a; return a; } });`,
      ),
    });
    await expect(host.run('throws')).rejects.toMatchObject({ code: 'EXTENSION_THREW', message: 'bad thing' });
    await expect(host.run('nonsense')).resolves.toMatchObject({ content: [{ type: 'text', text: 'text' }] });
    await expect(host.run('video')).rejects.toMatchObject({ code: 'BOUNDARY_BAD_MESSAGE' });
    await expect(host.run('cycle')).rejects.toMatchObject({ code: 'BOUNDARY_UNWRITABLE_VALUE' });
  });

  it('that answers or prints more than fits is told so, and nothing waits for ever', async () => {
    const host = await start({
      large: extension(
        toolSource('large', `return 'x'.repeat(9e6);`),
        toolSource('loud', `console.log('y'.repeat(20e6)); return 'printed';`),
      ),
    });
    await expect(host.run('large')).rejects.toMatchObject({ code: 'BOUNDARY_TOO_LARGE' });
    await expect(host.text('loud')).resolves.toBe('printed');
  });

  it('may be registered later', async () => {
    const host = await start({
      late: extension(`pi.on('grow', () => { ${toolSource('late', `return 'here';`)} });`),
    });
    expect(host.toolNames).toEqual([]);
    host.extensions.emit({ type: 'grow' });
    await host.until(() => host.toolNames.length > 0);
    await expect(host.text('late')).resolves.toBe('here');
  });
});

describe('a synchronous read', () => {
  const reading = extension(
    `const seen = [];`,
    `pi.on('entry', (event, ctx) => { seen.push([event.count, ctx.sessionManager.getEntries().length]); });`,
    toolSource('seen', 'return JSON.stringify(seen);'),
    toolSource('last', 'return JSON.stringify(ctx.sessionManager.getEntries().at(-1) ?? null);'),
  );

  it('sees everything up to the event being handled, each time', async () => {
    const entries = ['{"id":"0"}'];
    const host = await start({ reading }, entries);
    for (let count = 2; count <= 200; count++) {
      const line = JSON.stringify({ id: String(count) });
      entries.push(line);
      host.extensions.entryAppended(line);
      host.extensions.emit({ type: 'entry', count });
      // Some events in one tick, some in ticks of their own.
      if (count % 7 === 0) await new Promise(setImmediate);
    }
    const seen = JSON.parse(await host.text('seen')) as [number, number][];
    expect(seen).toHaveLength(199);
    expect(seen.filter(([count, length]) => length < count)).toEqual([]);
    expect(host.entryReads).toBe(1);
  });

  it('costs nothing as long as nobody reads', async () => {
    const host = await start({ reading });
    host.extensions.entryAppended('{"id":"1"}');
    await host.text('seen');
    expect(host.entryReads).toBe(0);
  });

  it('reads a large session whole, and another one after it was replaced', async () => {
    const entries = Array.from({ length: 50_000 }, (_, id) => JSON.stringify({ id, text: 'é'.repeat(40) }));
    const host = await start({ reading }, entries);
    expect(JSON.parse(await host.text('last'))).toMatchObject({ id: 49_999 });
    entries.splice(0, entries.length, '{"id":"new"}');
    host.extensions.sessionReplaced();
    expect(JSON.parse(await host.text('last'))).toEqual({ id: 'new' });
  });
});

describe('loading', () => {
  it('G14: a factory that throws half-way leaves nothing behind, and its neighbours load', async () => {
    const host = await start({
      half: extension(toolSource('half', ''), `pi.on('tool_call', () => ({ block: true }));`, `throw new Error('no further');`),
      none: 'export const nothing = 1;',
      whole: extension(toolSource('whole', `return 'works';`)),
    });
    expect(host.extensions.records.map(({ name, reason }) => [name, reason])).toEqual([
      ['half', 'no further'],
      ['none', expect.stringContaining('does not export a function by default')],
      ['whole', undefined],
    ]);
    expect(host.toolNames).toEqual(['whole']);
    expect((await host.gate()).blocked).toBeUndefined();
    await expect(host.text('whole')).resolves.toBe('works');
  });

  it('gives up a factory that never ends, without its registrations', async () => {
    running = new TestHost({
      entry: ENTRY,
      settings: { loadMs: 50 },
      extensions: {
        endless: extension(toolSource('endless', ''), 'await new Promise(() => {});'),
        quick: extension(toolSource('quick', `return 'here';`)),
      },
    });
    const host = await running.load();
    expect(host.record('endless')).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('the factory of endless took longer than 50 ms'),
    });
    expect(host.toolNames).toEqual(['quick']);
  });
});

describe('an event', () => {
  it('reaches all listeners in order of loading; one that throws is named and keeps nobody', async () => {
    const host = await start({
      first: extension(`globalThis.order = []; pi.on('turn_end', () => { order.push('first'); throw new Error('sync'); });`),
      second: extension(`pi.on('turn_end', async () => { order.push('second'); throw new Error('async'); });`),
      third: extension(`pi.on('turn_end', () => order.push('third'));`, toolSource('order', 'return order.join();')),
    });
    host.extensions.emit({ type: 'turn_end' });
    await expect(host.text('order')).resolves.toBe('first,second,third');
    await host.until(() => host.problems.length === 2);
    expect(host.problems.map(({ extension: name, error }) => `${name}: ${error}`).sort()).toEqual([
      'first: sync',
      'second: async',
    ]);
  });
});
