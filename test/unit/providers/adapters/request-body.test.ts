import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../../core/protocol/model.js';
import type { ModelRequest } from '../../../../core/protocol/model-stream.js';
import { anthropicBody } from '../../../../core/providers/anthropic-request.js';
import { completionsBody } from '../../../../core/providers/completions-request.js';
import { encodeWire, type RequestBody } from '../../../../core/providers/request-body.js';
import { responsesBody } from '../../../../core/providers/responses-request.js';
import { fakeModel, requestFor, user } from '../../../support/fake-llm/ask.js';
import { answered, call, IMAGE, result, TOOLS, text } from './messages.js';

const DIALECTS: [api: string, body: (request: ModelRequest) => RequestBody][] = [
  ['anthropic-messages', anthropicBody],
  ['openai-completions', completionsBody],
  ['openai-responses', responsesBody],
];

const history = (model: Model) => [
  user([text('look'), IMAGE]),
  answered(model, [text('two'), call('a'), call('b')]),
  result('a', [text('A')]),
  result('b', [IMAGE]),
  user('more'),
];

describe.each(DIALECTS)('the body of %s', (api, bodyOf) => {
  const model = fakeModel(api, 'http://localhost', { reasoning: true });

  it('is sent as the same JSON whether a hook sees it or not', () => {
    const request = requestFor(model, { messages: history(model), tools: TOOLS, thinkingLevel: 'high' });
    expect(JSON.parse(bodyOf(request).toText())).toEqual(bodyOf(request).toObject());
  });

  it('converts each stored message once, and again for another model', () => {
    const messages = history(model);
    const first = bodyOf(requestFor(model, { messages }));
    const again = bodyOf(requestFor({ ...model }, { messages: [...messages, answered(model, [text('x')]), user('y')] }));
    const kept = (body: RequestBody): unknown[] => body.parts.flatMap(({ items }) => items);
    const shared = kept(first).filter((item) => kept(again).includes(item));
    // All but the system prompt and, where it is marked, the message that was the last.
    expect(shared.length).toBe(kept(first).length - 1);
    const other = bodyOf(requestFor({ ...model, id: 'other' }, { messages }));
    expect(kept(first).filter((item) => kept(other).includes(item))).toEqual([]);
  });

  it('G28: holds no lone surrogate, wherever one was', () => {
    const lone = '\ud83d';
    const messages = [
      user(`a${lone}`),
      answered(model, [text(`${lone}b`), call('a', { [`k${lone}`]: [lone] })]),
      result('a', [text(lone)]),
    ];
    const tools = [{ name: 'read', description: lone, parameters: { type: 'object' } }];
    const body = bodyOf(requestFor(model, { messages, tools, systemPrompt: lone })).toText();
    expect(body).not.toMatch(/\\+ud83d/);
    expect(() => JSON.parse(body)).not.toThrow();
    expect(body.match(/\ufffd/g)?.length).toBeGreaterThanOrEqual(5);
  });
});

describe('encoding', () => {
  it('changes nothing but lone surrogates', () => {
    const strings = fc.string({ unit: fc.constantFrom('\\', 'u', 'd', '8', '0', '"', '🚀', '\ud83d', '\ude80', '\n') });
    fc.assert(
      fc.property(strings, (value) => {
        // Node has had these since version 20; the typings in use are older.
        const wellFormed = (value as unknown as { toWellFormed(): string }).toWellFormed();
        expect(JSON.parse(encodeWire({ value }))).toEqual({ value: wellFormed });
      }),
    );
  });
});
