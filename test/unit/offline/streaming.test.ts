import { describe, expect, it } from 'vitest';
import type { ExtensionAPI } from '../../../core/extension-host/contract/public.js';
import type { ModelStreamEvent } from '../../../core/protocol/model-stream.js';
import type { ToolDefinition } from '../../../core/protocol/tool.js';
import offline from '../../../extensions/offline/index.js';
import { offlineProvider } from '../../../extensions/offline/provider.js';
import { offlineSteps } from '../../../extensions/offline/steps.js';
import { answerTo, requestOf, stream, user } from './talk.js';

const tools: ToolDefinition[] = ['read', 'bash', 'edit', 'write'].map((name) => ({ name, description: name, parameters: {} }));

describe('the stream', () => {
  it('sends text word by word, then the call, and every block in full', async () => {
    const { message, events } = await answerTo([user('read a.txt', 7)], tools);
    expect(events.map((event) => event.type)).toEqual([
      'start',
      'text_start',
      'text_delta',
      'text_delta',
      'text_delta',
      'text_end',
      'toolcall_start',
      'toolcall_delta',
      'toolcall_end',
    ]);
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
    expect(deltas).toEqual(['I', ' read', ' `a.txt`.']);
    const json = events.flatMap((event) => (event.type === 'toolcall_delta' ? [event.delta] : [])).join('');
    const end = events.at(-1);
    expect(end?.type === 'toolcall_end' && end.toolCall).toMatchObject({ name: 'read', arguments: JSON.parse(json) });
    expect(message).toMatchObject({ stopReason: 'toolUse', api: 'offline', provider: 'offline', model: 'offline', timestamp: 7 });
  });

  it('gives the arguments of a long call in pieces that join to the whole', async () => {
    const content = 'a "quoted" line\n'.repeat(400);
    const { events } = await answerTo([user(`write to a.txt:\n\`\`\`\n${content}\`\`\``)], tools);
    const pieces = events.flatMap((event) => (event.type === 'toolcall_delta' ? [event.delta] : []));
    expect(pieces.length).toBeGreaterThan(10);
    expect(JSON.parse(pieces.join(''))).toEqual({ path: 'a.txt', content });
  });

  it('gives the same events for the same request', async () => {
    const messages = [user('find a.txt, read it and run npm test', 5)];
    expect((await answerTo(messages, tools)).events).toEqual((await answerTo(messages, tools)).events);
  });

  it('gives each place of a conversation a call id of its own', async () => {
    const first = await answerTo([user('read a.txt', 1)], tools);
    const again = await answerTo([user('read a.txt', 1), first.message, user('read a.txt', 2)], tools);
    const ids = [first, again].flatMap(({ message }) =>
      message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
  });

  it('estimates tokens from characters and costs nothing', async () => {
    const { message } = await answerTo([user('12345678')], []);
    // "You help." and eight characters.
    expect(message.usage.input).toBe(Math.ceil(17 / 4));
    expect(message.usage.output).toBeGreaterThan(100);
    expect(message.usage.totalTokens).toBe(message.usage.input + message.usage.output);
    expect(message.usage.cost.total).toBe(0);
  });

  it('stops in the middle of its text when it is aborted, and keeps what was sent', async () => {
    const controller = new AbortController();
    const events: ModelStreamEvent[] = [];
    const { message } = await stream(requestOf([user('help')], tools, controller.signal), (event) => {
      events.push(event);
      if (events.length === 6) controller.abort();
    });
    expect(message.stopReason).toBe('aborted');
    const sent = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : [])).join('');
    expect(message.content).toEqual([{ type: 'text', text: sent }]);
    expect(events.map((event) => event.type)).not.toContain('text_end');
    expect(events).toHaveLength(6);
  });

  it('makes no call once it is aborted', async () => {
    const controller = new AbortController();
    const { message } = await stream(requestOf([user('read a.txt')], tools, controller.signal), (event) => {
      if (event.type === 'text_end') controller.abort();
    });
    expect(message.stopReason).toBe('aborted');
    expect(message.content.map((block) => block.type)).toEqual(['text']);
  });

  it('answers an abort from before with an empty message', async () => {
    const events: ModelStreamEvent[] = [];
    const { message } = await stream(requestOf([user('help')], tools, AbortSignal.abort()), (event) => events.push(event));
    expect(events.map((event) => event.type)).toEqual(['start']);
    expect(message).toMatchObject({ stopReason: 'aborted', content: [] });
  });

  it('lets others have their turn while it talks', async () => {
    let turns = 0;
    let talking = true;
    const count = (): void => {
      turns += 1;
      if (talking) setImmediate(count);
    };
    setImmediate(count);
    await answerTo([user('help')], tools);
    talking = false;
    expect(turns).toBeGreaterThan(5);
  });
});

describe('the extension', () => {
  it('registers a hidden provider with one model and its stream', () => {
    const registered: unknown[] = [];
    offline({ registerProvider: (...args: unknown[]) => void registered.push(args) } as Partial<ExtensionAPI> as ExtensionAPI);
    expect(registered).toEqual([['offline', { ...offlineProvider, streamSimple: offlineSteps }]]);
    expect(offlineProvider).toMatchObject({ api: 'offline', hidden: true });
    expect(offlineProvider.models.map((model) => model.id)).toEqual(['offline']);
  });
});
