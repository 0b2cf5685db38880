import { describe, expect, it } from 'vitest';
import { responsesBody, responsesHeaders } from '../../../../core/providers/responses-request.js';
import { type AskOptions, fakeModel, requestFor, user } from '../../../support/fake-llm/ask.js';
import { answered, call, IMAGE, NO_IMAGES, result, TOOLS, text } from './messages.js';

const model = fakeModel('openai-responses', 'http://localhost');
const thinker = { ...model, reasoning: true };
const bodyOf = (asked: AskOptions = {}, of = model) => responsesBody(requestFor(of, asked)).toObject();
const inputOf = (asked: AskOptions, of = model) => bodyOf({ systemPrompt: '', ...asked }, of).input;

const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'plan' }],
  encrypted_content: 'secret',
};
const thought = { type: 'thinking', thinking: 'plan', thinkingSignature: JSON.stringify(reasoning) } as const;
const spoken = { ...text('so'), textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}' };

describe('a request to the Responses API', () => {
  it('keeps nothing at the provider, and names the session for its cache', () => {
    expect(bodyOf({ tools: TOOLS.slice(0, 1), thinkingLevel: 'high' }, thinker)).toEqual({
      model: 'fake-model',
      stream: true,
      store: false,
      prompt_cache_key: 'session-1',
      max_output_tokens: 32_000,
      tools: [
        { type: 'function', name: 'read', description: 'What read does.', parameters: TOOLS[0]?.parameters, strict: false },
      ],
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      ],
    });
    expect(bodyOf({ sessionId: 'x'.repeat(100) }).prompt_cache_key).toHaveLength(64);
  });

  it('turns reasoning off in words, except for a model that cannot stop', () => {
    expect(bodyOf({}, thinker)).toMatchObject({ reasoning: { effort: 'none' } });
    expect(bodyOf({}, thinker)).not.toHaveProperty('include');
    expect(bodyOf({}, { ...thinker, thinkingLevelMap: { off: null } })).not.toHaveProperty('reasoning');
    expect(bodyOf({ thinkingLevel: 'max' }, { ...thinker, thinkingLevelMap: { max: 'xhigh' } })).toMatchObject({
      reasoning: { effort: 'xhigh' },
    });
    expect(bodyOf()).not.toHaveProperty('reasoning');
  });

  it('replays the items of its own answers with their ids', () => {
    const messages = [user('go'), answered(thinker, [thought, spoken, call('call_1|fc_1')]), result('call_1|fc_1', [text('A')])];
    expect(inputOf({ messages }, thinker)).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      reasoning,
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'so', annotations: [] }],
        status: 'completed',
        id: 'msg_1',
        phase: 'commentary',
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'A' },
    ]);
  });

  it('gives another model only words and calls, without ids', () => {
    const messages = [user('go'), answered(thinker, [thought, spoken, call('call_1|fc_1')]), result('call_1|fc_1', [text('A')])];
    const sent = inputOf({ messages }, { ...thinker, id: 'other' });
    expect(sent).toMatchObject([
      {},
      { role: 'assistant', content: [{ text: 'plan' }] },
      { role: 'assistant', content: [{ text: 'so' }] },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1' },
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/rs_1|msg_1|fc_1|secret/);
  });

  it('names no ids when the reasoning before them is lost', () => {
    const lost = { type: 'thinking', thinking: 'plan' } as const;
    const sent = inputOf({ messages: [user('go'), answered(thinker, [lost, spoken, call('call_1|fc_1')])] }, thinker);
    expect(JSON.stringify(sent)).not.toMatch(/msg_1|fc_1/);
  });

  it('sends images of users and tools, or says that they are missing', () => {
    const messages = [user([text('look'), IMAGE]), answered(model, [call('a')]), result('a', [text('see'), IMAGE])];
    const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aW1n' };
    expect(inputOf({ messages })).toMatchObject([
      { content: [{ text: 'look' }, image] },
      {},
      { output: [{ type: 'input_text', text: 'see' }, image] },
    ]);
    expect(inputOf({ messages }, { ...model, input: ['text'] })).toMatchObject([
      { content: [{}, { text: NO_IMAGES }] },
      {},
      { output: [{ text: 'see' }, { text: NO_IMAGES }] },
    ]);
  });

  it('sends the session in the headers that the service takes', () => {
    const headers = (compat: Record<string, unknown>) => responsesHeaders(requestFor({ ...model, compat }));
    const authorization = 'Bearer sk-test-0123456789';
    expect(headers({})).toEqual({ authorization, session_id: 'session-1', 'x-client-request-id': 'session-1' });
    expect(headers({ sessionAffinityFormat: 'openai-nosession' })).toEqual({ authorization, 'x-client-request-id': 'session-1' });
    expect(headers({ sessionAffinityFormat: 'openrouter' })).toEqual({ authorization, 'x-session-id': 'session-1' });
  });
});
