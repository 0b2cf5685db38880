import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../core/protocol/messages.js';
import type { ToolDefinition } from '../../../core/protocol/tool.js';
import { BUILT_IN_TOOLS, DEFAULT_TOOLS } from '../../../core/tools/registry.js';
import {
  COUNTING,
  EDITING,
  FINDING,
  LISTING,
  type Phrasing,
  READING,
  RUNNING,
  SEARCHING,
  WITH_BASH,
  WRITING,
} from './phrasings.js';
import { answerTo, callsOf, textOf, user } from './talk.js';

const definition = (name: string): ToolDefinition => ({
  name,
  description: name,
  parameters: { type: 'object', properties: name === 'grep' ? { pattern: {}, literal: {} } : {} },
});
const all = BUILT_IN_TOOLS.map(definition);
const usual = DEFAULT_TOOLS.map(definition);

const kinds: Record<string, readonly Phrasing[]> = { LISTING, FINDING, READING, SEARCHING, WRITING, EDITING, RUNNING, COUNTING };

describe('a request in plain words', () => {
  for (const [kind, phrasings] of Object.entries(kinds)) {
    it.each(phrasings)(`${kind.toLowerCase()}: %s`, async (words, tool, args) => {
      const { message } = await answerTo([user(words)], all);
      expect(callsOf(message)).toEqual([{ tool, args }]);
      expect(message.stopReason).toBe('toolUse');
      // A sentence says what is done before it is done.
      expect(textOf(message)).toMatch(/^I \w+ .*[.`]$/s);
    });
  }

  it.each(WITH_BASH)('with bash in place of ls, find and grep: %s', async (words, tool, args) => {
    const { message } = await answerTo([user(words)], usual);
    expect(callsOf(message)).toEqual([{ tool, args }]);
  });

  it('is one of at least 90 in the table, each once', () => {
    const words = [...Object.values(kinds).flat(), ...WITH_BASH].map(([said]) => said);
    expect(words.length).toBeGreaterThanOrEqual(90);
    expect(new Set(Object.values(kinds).flatMap((rows) => rows.map(([said]) => said))).size).toBe(
      Object.values(kinds).flat().length,
    );
  });
});

describe('what is not done', () => {
  it.each([
    'run rm -rf /',
    'run `sudo rm -fr /*`',
    'rm -rf --no-preserve-root /',
    'run "rm -r -f ~"',
    'please run rm -rf "$HOME"',
    'run `mkfs.ext4 /dev/sda1`',
    'run `dd if=/dev/zero of=/dev/sda`',
    'run ":(){ :|:& };:"',
    'run `chmod -R 777 /`',
    'delete everything on this computer',
    'Please format the hard drive',
    'list the files and then run `rm -rf /`',
    'write "x" to /etc/passwd',
  ])('declines %s with a sentence and no call', async (words) => {
    const { message } = await answerTo([user(words)], all);
    expect(callsOf(message)).toEqual([]);
    expect(textOf(message)).toMatch(/^I don't do that: it would .+/);
    expect(message.stopReason).toBe('stop');
  });

  it('does not take text about a danger for the danger', async () => {
    const { message } = await answerTo([user('search for "rm -rf /"')], all);
    expect(callsOf(message)).toEqual([{ tool: 'grep', args: { pattern: 'rm -rf /' } }]);
  });

  it.each([
    'Why is the sky blue?',
    'Tell me a joke',
    'write a poem to poem.txt',
    'Write unit tests for src/a.js',
    'fix the failing test',
    'Refactor src/a.js to use async',
    'Count from 1 to 10',
    '你好',
    '???',
    `${'word '.repeat(5000)}`,
  ])('says that it is no language model, what it can do and how to get one: %s', async (words) => {
    const { message } = await answerTo([user(words)], all);
    expect(callsOf(message)).toEqual([]);
    expect(textOf(message)).toContain('I am not a language model');
    expect(textOf(message)).toContain('list the files in src');
    expect(textOf(message)).toContain('pi auth set <provider>');
    expect(textOf(message)).toMatch(/--provider.*--model/s);
  });

  it('deletes nothing on a wish, and says how to order it', async () => {
    const { message } = await answerTo([user('delete "it\'s.txt"')], all);
    expect(callsOf(message)).toEqual([]);
    expect(textOf(message)).toContain("rm -- 'it'\\''s.txt'");
  });
});

describe('other talk', () => {
  it.each(['hi', 'Hello there!', 'help', 'What can you do?', 'Who are you?'])(
    '%s is answered with what it can do',
    async (words) => {
      const { message } = await answerTo([user(words)], all);
      expect(textOf(message)).toContain('I am not a language model');
      expect(textOf(message)).not.toContain('I did not understand');
    },
  );

  it('says that it cannot see images, and does what the words ask', async () => {
    const withImage: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'read a.txt' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      timestamp: 0,
    };
    const { message } = await answerTo([withImage], all);
    expect(textOf(message)).toMatch(/^I can't see the image you sent/);
    expect(callsOf(message)).toEqual([{ tool: 'read', args: { path: 'a.txt' } }]);
  });

  it('names the tools that a request would need and that are not active', async () => {
    const { message } = await answerTo([user('list the files in src')], [definition('read')]);
    expect(callsOf(message)).toEqual([]);
    expect(textOf(message)).toContain('one of the tools ls, bash, find');
    expect(textOf(message)).toContain('Active tools: read.');
  });

  it('answers a conversation without a user message', async () => {
    const { message } = await answerTo([], []);
    expect(message.stopReason).toBe('stop');
    expect(textOf(message)).toContain('I am not a language model');
  });
});

describe('any text at all', () => {
  const words = [
    'find',
    'replace',
    'with',
    'in',
    'and',
    'then',
    'it',
    'a.txt',
    '"',
    "'",
    '`',
    '```',
    ':',
    '\n',
    ';',
    '.',
    '1.',
    'the',
    'lines',
    '3',
    'to',
    'run',
    'all',
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((some) => some.join(' ')),
  );

  it('gets an answer that ends, with a call of an active tool or none', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (prompt) => {
        const { message } = await answerTo([user(prompt)], usual);
        expect(['stop', 'toolUse']).toContain(message.stopReason);
        expect(textOf(message)).not.toBe('');
        for (const call of callsOf(message)) expect(DEFAULT_TOOLS).toContain(call.tool);
      }),
      { numRuns: 300 },
    );
  });

  it('may have thousands of quotes that nothing closes', async () => {
    for (const quote of ['"', '“', "'", '`', '‘', '«']) {
      const { message } = await answerTo([user(`x${` ${quote}a`.repeat(20_001)}`)], usual);
      expect(textOf(message)).toContain('I did not understand');
    }
  });
});
