import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssistantContent, UserContent } from '../../../core/protocol/content.js';
import type { AgentMessage, AssistantMessage, ModelMessage } from '../../../core/protocol/messages.js';
import type { Model } from '../../../core/protocol/model.js';
import { MAX_IMAGE_BYTES, MAX_IMAGES, MAX_ONE_IMAGE_BYTES } from '../../../core/session/model-images.js';
import { toModelMessages } from '../../../core/session/to-model-messages.js';
import { AT, answer, model } from './builders.js';

/** Histories as crashes, aborts, extensions and other programs leave them. */
const lone = '\ud83d';
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('hello', 'a\u2028b', 'ünï', '\\ud800 is text') },
  fc.constantFrom('', ' \n', `${lone}x`, `x\udc00`),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const anyId = fc.constantFrom('call_1', 'call_2', 'call_3', '', 'call_1|fc_9', 'ünï', `toolu_${'x'.repeat(80)}`, 'a b');
const anyImage = fc.record({
  type: fc.constant('image' as const),
  data: fc.constantFrom('AAAA', '', 'data:image/png;base64,AAAA'),
  mimeType: fc.constantFrom('image/png', 'image/jpg', 'image/bmp', ''),
});
const anyTextBlock = fc.record({
  type: fc.constant('text' as const),
  text: anyText,
  textSignature: fc.option(fc.constant('{"id":"msg_1"}'), { nil: undefined }),
});
const anyUserContent: fc.Arbitrary<string | UserContent[]> = fc.oneof(
  anyText,
  fc.array(fc.oneof(anyTextBlock, anyImage), { maxLength: 3 }),
);
const anyThinking = fc.record({
  type: fc.constant('thinking' as const),
  thinking: anyText,
  thinkingSignature: fc.option(fc.constantFrom('sig', ''), { nil: undefined }),
  redacted: fc.option(fc.boolean(), { nil: undefined }),
});
const anyCall = fc.record({
  type: fc.constant('toolCall' as const),
  id: anyId,
  name: fc.constantFrom('read', 'bash', '', 'no such tool!', 'x'.repeat(100)),
  arguments: fc.oneof(
    fc.constant({ path: 'a' }),
    fc.dictionary(anyText, anyText, { maxKeys: 2 }),
    fc.constant(null as unknown as Record<string, unknown>),
  ),
  thoughtSignature: fc.option(fc.constant('thought'), { nil: undefined }),
});
const anyAssistantContent: fc.Arbitrary<AssistantContent[]> = fc.array(fc.oneof(anyTextBlock, anyThinking, anyCall), {
  maxLength: 4,
});

const MODELS: Model[] = [
  model(),
  model({ api: 'openai-completions', provider: 'chat', id: 'gpt' }),
  model({ api: 'openai-responses', provider: 'resp', id: 'o9' }),
  model({ api: 'anthropic-messages', provider: 'fake', id: 'blind', input: ['text'] }),
];
const anyModel = fc.constantFrom(...MODELS);

const anyMessage: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: anyUserContent, timestamp: fc.constant(AT) }),
  fc.record({
    role: fc.constant('user' as const),
    content: anyUserContent,
    timestamp: fc.constant(AT),
    attachments: fc.array(
      fc.record({
        id: fc.constant('1'),
        type: fc.constantFrom('image' as const, 'document' as const),
        fileName: fc.constant('f'),
        mimeType: fc.constant('image/png'),
        size: fc.constant(1),
        content: fc.constantFrom('AAAA', 'BBBB'),
      }),
      { maxLength: 2 },
    ),
  }),
  {
    weight: 4,
    arbitrary: fc
      .record({
        made: anyModel,
        content: anyAssistantContent,
        stopReason: fc.constantFrom('stop', 'toolUse', 'length', 'error', 'aborted', 'pending'),
      })
      .map(({ made, content, stopReason }) =>
        answer(content, {
          api: made.api,
          provider: made.provider,
          model: made.id,
          stopReason: stopReason as AssistantMessage['stopReason'],
        }),
      ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      role: fc.constant('toolResult' as const),
      toolCallId: anyId,
      toolName: fc.constantFrom('read', ''),
      content: fc.array(fc.oneof(anyTextBlock, anyImage), { maxLength: 2 }),
      isError: fc.boolean(),
      timestamp: fc.constant(AT),
    }),
  },
  fc.record({
    role: fc.constant('bashExecution' as const),
    command: anyText,
    output: anyText,
    cancelled: fc.boolean(),
    truncated: fc.boolean(),
    excludeFromContext: fc.boolean(),
    timestamp: fc.constant(AT),
  }),
  fc.record({
    role: fc.constant('custom' as const),
    customType: fc.constant('x'),
    content: anyUserContent,
    display: fc.boolean(),
    timestamp: fc.constant(AT),
  }),
  fc.record({
    role: fc.constant('branchSummary' as const),
    summary: anyText,
    fromId: fc.constant('x'),
    timestamp: fc.constant(AT),
  }),
  fc.record({
    role: fc.constant('compactionSummary' as const),
    summary: anyText,
    tokensBefore: fc.constant(1),
    timestamp: fc.constant(AT),
  }),
  fc.constant({ role: 'fromTheFuture', timestamp: AT } as unknown as AgentMessage),
);
const anyHistory = fc.array(anyMessage, { maxLength: 14 });

const isBlank = (text: string): boolean => text.trim() === '';
const hasLoneSurrogate = (value: unknown): boolean => /(^|[^\\])(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));

/** What all providers refuse, and what each of them refuses; the rules are theirs. */
function faults(messages: readonly ModelMessage[], target: Model): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  let images = 0;
  if (messages.length > 0 && messages[0]?.role !== 'user') found.push('the first message is not the user’s');
  for (const [at, message] of messages.entries()) {
    if (hasLoneSurrogate(message)) found.push(`message ${at} is not well-formed`);
    if (message.content.length === 0) found.push(`message ${at} is empty`);
    const blocks = typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content;
    for (const block of blocks) {
      if (block.type === 'text' && isBlank(block.text)) found.push(`message ${at} has a blank text`);
      if (block.type !== 'image') continue;
      images++;
      if (!target.input.includes('image')) found.push('an image for a model that sees none');
      if (!/^image\/(png|jpeg|gif|webp)$/.test(block.mimeType) || !/^[A-Za-z0-9+/]+=*$/.test(block.data))
        found.push('a bad image');
      if (block.data.length > MAX_ONE_IMAGE_BYTES) found.push('an image too large');
    }
    if (message.role === 'user' && 'attachments' in message) found.push('attachments are no part of a request');
    if (message.role === 'assistant') found.push(...answerFaults(message, target));
    if (message.role === 'toolResult' && !seen.has(message.toolCallId))
      found.push(`result ${message.toolCallId} answers no call`);
    const calls = message.role === 'assistant' ? message.content.filter((block) => block.type === 'toolCall') : [];
    for (const [k, { id, name }] of calls.entries()) {
      if (seen.has(id)) found.push(`call id ${id} is used twice`);
      seen.add(id);
      const next = messages[at + 1 + k];
      if (next?.role !== 'toolResult' || next.toolCallId !== id || next.toolName !== name)
        found.push(`call ${id} has no result in its place`);
    }
    const after = messages[at + 1 + calls.length];
    if ((calls.length > 0 || message.role === 'user') && after?.role === 'toolResult')
      found.push(`a result too many after message ${at}`);
  }
  if (images > MAX_IMAGES) found.push('too many images');
  return found;
}

function answerFaults(message: AssistantMessage, target: Model): string[] {
  const found: string[] = [];
  const isOwn = message.api === target.api && message.provider === target.provider && message.model === target.id;
  if (['error', 'aborted', 'pending'].includes(message.stopReason)) found.push('an answer that failed');
  if (message.content.at(-1)?.type === 'thinking') found.push('thinking that nothing follows');
  for (const block of message.content) {
    if (block.type === 'thinking') {
      if (!isOwn) found.push('thinking of another model');
      if (target.api !== 'openai-completions' && !block.thinkingSignature) found.push('thinking without a signature');
      if (!block.thinkingSignature && isBlank(block.thinking)) found.push('empty thinking');
    }
    if (!isOwn && block.type === 'text' && block.textSignature !== undefined) found.push('a signature of another model');
    if (block.type !== 'toolCall') continue;
    if (!isOwn && block.thoughtSignature !== undefined) found.push('a signature of another model');
    if (block.id === '' || (target.api === 'anthropic-messages' && !/^[A-Za-z0-9_-]+$/.test(block.id)))
      found.push(`bad id ${block.id}`);
    if (!isOwn && !/^[A-Za-z0-9_-]{1,40}$/.test(block.id)) found.push(`an id ${block.id} that travels badly`);
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(block.name)) found.push(`bad tool name ${block.name}`);
    if (typeof block.arguments !== 'object' || block.arguments === null || Array.isArray(block.arguments))
      found.push('arguments that are no object');
  }
  return found;
}

test('G28: whatever happened to a history, the request made of it is valid for every provider', () => {
  fc.assert(
    fc.property(anyHistory, anyModel, (history, target) => {
      expect(faults(toModelMessages(history, target), target)).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

test('G28: converting changes no stored message, and the same history gives identical objects', () => {
  fc.assert(
    fc.property(anyHistory, anyModel, anyModel, (history, first, second) => {
      const before = JSON.stringify(history);
      const once = toModelMessages(history, first);
      toModelMessages(history, second);
      const again = toModelMessages(history, first);
      expect(again).toHaveLength(once.length);
      for (const [at, message] of again.entries()) expect(message).toBe(once[at]);
      expect(JSON.stringify(history)).toBe(before);
    }),
  );
});

test('G28: a list that grows, is cut and is asked for by several models gives what a new list gives', () => {
  const step = fc.record({ add: fc.option(anyMessage, { nil: undefined }), cut: fc.nat(2), target: anyModel });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const list: AgentMessage[] = [];
      for (const { add, cut, target } of steps) {
        if (add) list.push(add);
        else list.length = Math.max(0, list.length - cut);
        const grown = toModelMessages(list, target);
        const anew = toModelMessages([...list], target);
        expect(grown).toEqual(anew);
        for (const [at, message] of grown.entries()) expect(message).toBe(anew[at]);
      }
    }),
    { numRuns: 500 },
  );
});

test('G28: what is appended later leaves the earlier messages as they were, but for results that were missing', () => {
  fc.assert(
    fc.property(anyHistory, anyModel, (history, target) => {
      const closed = [...history, answer('so far', { api: target.api, provider: target.provider, model: target.id })];
      const before = toModelMessages(closed, target);
      const after = toModelMessages([...closed, { role: 'user', content: 'more', timestamp: AT }], target);
      expect(after.slice(0, before.length)).toEqual(before);
    }),
  );
});

test('G28: every prompt with content and every complete answer’s text reaches the model, in order', () => {
  fc.assert(
    fc.property(anyHistory, anyModel, (history, target) => {
      const marked = history.map(
        (message, at): AgentMessage => (message.role === 'user' ? { ...message, content: `prompt ${at}` } : message),
      );
      const wanted = marked.flatMap((message, at) => (message.role === 'user' ? [`prompt ${at}`] : []));
      const texts = toModelMessages(marked, target).flatMap((message) => JSON.stringify(message).match(/prompt \d+/g) ?? []);
      expect(texts).toEqual(wanted);
    }),
  );
});

test('G28: images beyond the budget give way, the newest stay', () => {
  const image = (data: string): UserContent => ({ type: 'image', data, mimeType: 'image/png' });
  const big = 'A'.repeat(4 * 1024 * 1024);
  fc.assert(
    fc.property(
      fc.array(fc.record({ count: fc.integer({ min: 1, max: 60 }), isBig: fc.boolean() }), { minLength: 1, maxLength: 8 }),
      (prompts) => {
        const history = prompts.map(
          ({ count, isBig }): AgentMessage => ({
            role: 'user',
            content: Array.from({ length: isBig ? Math.min(count, 3) : count }, () => image(isBig ? big : 'AAAA')),
            timestamp: AT,
          }),
        );
        const blocks = toModelMessages(history, model()).flatMap(({ content }) => [...content] as UserContent[]);
        const kinds = blocks.map(({ type }) => type);
        const sent = blocks.filter((block) => block.type === 'image');
        expect(sent.length).toBeLessThanOrEqual(MAX_IMAGES);
        expect(sent.reduce((sum, block) => sum + block.data.length, 0)).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
        expect(kinds.at(-1)).toBe('image');
        expect(kinds.lastIndexOf('text')).toBeLessThan(kinds.indexOf('image'));
      },
    ),
    { numRuns: 60 },
  );
});
