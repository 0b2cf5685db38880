import { describe, expect, test } from 'vitest';
import type { AgentMessage, BashExecutionMessage, ModelMessage } from '../../../core/protocol/messages.js';
import { toModelMessages } from '../../../core/session/to-model-messages.js';
import { AT, answer, call, model, result, user } from './builders.js';

const text = (message: ModelMessage | undefined): string =>
  typeof message?.content === 'string'
    ? message.content
    : (message?.content ?? []).map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('');
const sent = (...history: AgentMessage[]): readonly ModelMessage[] => toModelMessages(history, model());
const roles = (messages: readonly ModelMessage[]): string[] => messages.map(({ role }) => role);

describe('tool calls', () => {
  test('G28: results stored as they finished are sent in the order of the calls', () => {
    const messages = sent(user('go'), answer([call('a'), call('b')]), result('b', 'B'), result('a', 'A'));
    expect(messages.slice(2).map(text)).toEqual(['A', 'B']);
  });

  test('G28: a call without a result gets one that says it was interrupted', () => {
    const messages = sent(user('go'), answer([call('a'), call('b')]), result('a', 'A'), user('and now?'));
    expect(roles(messages)).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'user']);
    expect(messages[3]).toMatchObject({ toolCallId: 'b', toolName: 'read', isError: true });
    expect(text(messages[3])).toContain('interrupted');
  });

  test('G28: what was said while a tool ran comes after its result', () => {
    const messages = sent(user('go'), answer([call('a')]), user('hurry'), result('a', 'A'));
    expect(messages.slice(2).map(text)).toEqual(['A', 'hurry']);
  });

  test('G28: results nobody asked for are left out, those of an aborted answer too', () => {
    const messages = sent(user('go'), result('x'), answer([call('a')], { stopReason: 'aborted' }), result('a'), user('again'));
    expect(messages.map(text)).toEqual(['go', 'again']);
  });

  test('G28: an id that is used again is replaced, with its result', () => {
    const messages = sent(user('go'), answer([call('a')]), result('a', 'one'), answer([call('a')]), result('a', 'two'));
    const [, , first, again, second] = messages;
    expect(first).toMatchObject({ toolCallId: 'a' });
    const id = again?.role === 'assistant' && again.content[0]?.type === 'toolCall' ? again.content[0].id : '';
    expect(id).not.toBe('a');
    expect(second).toMatchObject({ role: 'toolResult', toolCallId: id });
    expect(text(second)).toBe('two');
  });
});

describe('thinking', () => {
  const thoughtful = answer([
    { type: 'thinking', thinking: 'hmm', thinkingSignature: 'sig' },
    { type: 'text', text: 'so', textSignature: 't' },
  ]);

  test('G28: the model that made a signature gets it back', () => {
    expect(sent(user('q'), thoughtful)[1]).toBe(thoughtful);
  });

  test('G28: another model reads the thought as text, without signatures', () => {
    const [, message] = toModelMessages([user('q'), thoughtful], model({ id: 'other' }));
    expect(message?.content).toEqual([
      { type: 'text', text: 'hmm' },
      { type: 'text', text: 'so' },
    ]);
  });

  test('G28: a hidden thought is nothing to another model', () => {
    const hidden = answer([
      { type: 'thinking', thinking: '', thinkingSignature: 'sig', redacted: true },
      { type: 'text', text: 'so' },
    ]);
    expect(toModelMessages([user('q'), hidden], model({ provider: 'other' }))[1]?.content).toEqual([
      { type: 'text', text: 'so' },
    ]);
  });

  test('a thought without signature stays reasoning in a dialect that takes it so', () => {
    const plain = answer(
      [
        { type: 'thinking', thinking: 'hmm' },
        { type: 'text', text: 'so' },
      ],
      { api: 'openai-completions' },
    );
    expect(toModelMessages([user('q'), plain], model({ api: 'openai-completions' }))[1]).toBe(plain);
  });
});

describe('texts', () => {
  const ran = (more: Partial<BashExecutionMessage>): BashExecutionMessage => ({
    role: 'bashExecution',
    command: 'ls -la',
    output: 'total 48\n',
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: AT,
    ...more,
  });

  test.each<[string, Partial<BashExecutionMessage>, string]>([
    ['output', {}, 'Ran `ls -la`\n```\ntotal 48\n\n```'],
    ['no output', { output: '' }, 'Ran `ls -la`\n(no output)'],
    ['a failure', { output: 'bad', exitCode: 7 }, 'Ran `ls -la`\n```\nbad\n```\n\nCommand exited with code 7'],
    ['a cancelled one', { output: '', exitCode: undefined, cancelled: true }, 'Ran `ls -la`\n(no output)\n\n(command cancelled)'],
    [
      'a cut one',
      { output: 'end', truncated: true, fullOutputPath: '/tmp/log' },
      'Ran `ls -la`\n```\nend\n```\n\n[Output truncated. Full output: /tmp/log]',
    ],
  ])('a shell command of the user reads as the protocol says: %s', (_name, more, expected) => {
    const [message] = sent(ran(more));
    expect(message?.role).toBe('user');
    expect(text(message)).toBe(expected);
  });

  test('a shell command that was excluded is not sent', () => {
    expect(sent(ran({ excludeFromContext: true }))).toEqual([]);
  });

  test('a compaction stands as a user message with the summary in it', () => {
    const [message] = sent({ role: 'compactionSummary', summary: 'SUM', tokensBefore: 1, timestamp: AT });
    expect(message?.role).toBe('user');
    expect(text(message)).toMatch(/^The conversation history before this point was compacted.*<summary>\nSUM\n<\/summary>$/s);
  });

  test('extension messages and branch summaries are the user’s', () => {
    const messages = sent(
      { role: 'branchSummary', summary: 'LEFT', fromId: 'x', timestamp: AT },
      { role: 'custom', customType: 'x', content: 'INJECTED', display: false, details: 'SECRET', timestamp: AT },
    );
    expect(roles(messages)).toEqual(['user', 'user']);
    expect(text(messages[0])).toContain('LEFT');
    expect(messages[1]).toEqual({ role: 'user', content: 'INJECTED', timestamp: AT });
  });

  test('images become a text for a model that sees none, in prompts and results', () => {
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
    const history = [user([image]), answer([call('a')]), { ...result('a'), content: [image] }];
    const messages = toModelMessages(history, model({ input: ['text'] }));
    expect([messages[0], messages[2]].map(text)).toEqual(Array(2).fill('(image omitted: model does not support images)'));
  });

  test('attached images are sent once, attached documents not', () => {
    const attachment = (id: string, type: 'image' | 'document', content: string) => ({
      id,
      type,
      fileName: id,
      mimeType: 'image/png',
      size: 3,
      content,
    });
    const prompt = {
      ...user([
        { type: 'text', text: 'see' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ]),
    };
    const [message] = sent({
      ...prompt,
      attachments: [attachment('1', 'image', 'AAAA'), attachment('2', 'image', 'BBBB'), attachment('3', 'document', 'CCCC')],
    });
    expect(message?.content).toEqual([
      { type: 'text', text: 'see' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'image', data: 'BBBB', mimeType: 'image/png' },
    ]);
  });

  test('G28: a prompt without content still gives a request that ends with the user', () => {
    expect(roles(sent(user('')))).toEqual(['user']);
    expect(roles(sent(user('a'), answer('b'), user(' ')))).toEqual(['user', 'assistant', 'user']);
    expect(sent()).toEqual([]);
  });

  test('G28: a branch whose beginning is lost begins with the user', () => {
    expect(roles(sent(answer('alone'), user('q')))).toEqual(['user', 'assistant', 'user']);
  });

  test('G28: lone surrogates are replaced in texts and in arguments of any depth', () => {
    const odd = answer([
      { type: 'toolCall', id: 'a', name: 'write', arguments: { list: [{ 'k\udc00': 'v\ud800' }], same: '\\ud800' } },
    ]);
    const messages = sent(user('x\ud83d'), odd);
    expect(text(messages[0])).toBe('x\ufffd');
    expect(messages[1]?.content).toMatchObject([{ arguments: { list: [{ 'k\ufffd': 'v\ufffd' }], same: '\\ud800' } }]);
  });
});
