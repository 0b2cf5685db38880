import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_TOOLS } from '../../../core/tools/registry.js';
import { answerTo, callsOf, Desk, type MadeCall, textOf, user } from './talk.js';

let desk: Desk | undefined;
afterEach(() => {
  desk?.dispose();
  desk = undefined;
});

function sit(files: Readonly<Record<string, string>>, tools?: readonly string[]): Desk {
  const made = new Desk(files);
  desk = made;
  if (tools) made.tools = made.toolsNamed(tools);
  return made;
}

const toolsOf = (calls: readonly MadeCall[]): string[] => calls.map((call) => call.tool);

/** The project most of these work on. */
const PROJECT = {
  'README.md': '# Sums\n\nAdds numbers.\n',
  'package.json': '{ "name": "sums", "private": true, "scripts": { "test": "node check.cjs" } }\n',
  'check.cjs': 'console.log("all is well");\n',
  'settings/config.json': '{ "port": 8080 }\n',
  'src/add.js': '// TODO: take more than two\nexport function add(a, b) {\n  return a + b;\n}\n',
  'src/my notes.txt': 'alpha\nbeta\n',
};

interface Task {
  prompt: string;
  tools: string[];
  /** Files as they are afterwards. */
  files?: Record<string, string>;
  /** Said in the report. */
  says: (string | RegExp)[];
}

/** Two and three steps, each done for real with the default tools. */
const TASKS: readonly Task[] = [
  {
    prompt: 'Find config.json, change "8080" to "9090" in it and run "cat settings/config.json"',
    tools: ['bash', 'edit', 'bash'],
    files: { 'settings/config.json': '{ "port": 9090 }\n' },
    says: ['I found 1 file', 'I changed `8080` to `9090` in `settings/config.json`', '"port": 9090'],
  },
  {
    prompt: 'Find the TODO notes, read the file they are in and run the checks',
    tools: ['bash', 'read', 'bash'],
    says: ['src/add.js:1: // TODO: take more than two', 'return a + b;', 'all is well'],
  },
  {
    prompt: 'List the files in src, then search for TODO, then read README.md, then run "node check.cjs"',
    tools: ['bash', 'bash', 'read', 'bash'],
    says: ['`src` has 2 files', '- `my notes.txt`', 'Adds numbers.', 'all is well'],
  },
  {
    prompt: 'create hello.js with `console.log("hi", 6 * 7)`; run it',
    tools: ['write', 'bash'],
    files: { 'hello.js': 'console.log("hi", 6 * 7)' },
    says: ['I wrote `hello.js`', 'hi 42'],
  },
  {
    prompt: 'Find "my notes.txt", replace "beta" with "gamma" in it, and show it',
    tools: ['bash', 'edit', 'read'],
    files: { 'src/my notes.txt': 'alpha\ngamma\n' },
    says: ['`src/my notes.txt`', 'alpha\ngamma'],
  },
  {
    prompt: '1. find add.js\n2. rename a to first in it\n3. run `cat src/add.js`',
    tools: ['bash', 'read', 'edit', 'bash'],
    files: { 'src/add.js': '// TODO: take more than two\nexport function add(first, b) {\n  return first + b;\n}\n' },
    says: ['I changed `a` to `first` in `src/add.js` 2 times', 'return first + b'],
  },
  {
    prompt: 'Search for "Adds numbers" and replace it with "Adds up"',
    tools: ['bash', 'read', 'edit'],
    files: { 'README.md': '# Sums\n\nAdds up.\n' },
    says: ['README.md:3: Adds numbers.', 'I changed'],
  },
  {
    prompt: "write 'one' to \"a b's.txt\" and then append 'two' to it and then count its lines",
    tools: ['write', 'read', 'edit', 'bash'],
    files: { "a b's.txt": 'one\ntwo' },
    says: ["I wrote `a b's.txt`", 'I added 1 line at the end', 'has 1 line.'],
  },
  {
    prompt: 'read README.md; how many lines does it have?',
    tools: ['read', 'bash'],
    says: ['# Sums', '`README.md` has 3 lines.'],
  },
  {
    prompt: 'Find all .js files and read them, please.',
    tools: ['bash', 'read'],
    says: ['I found 1 file', 'export function add'],
  },
  {
    prompt: 'copy README.md to "read me.md", then replace "Sums" with "Copies" in it',
    tools: ['bash', 'edit'],
    files: { 'read me.md': '# Copies\n\nAdds numbers.\n', 'README.md': PROJECT['README.md'] },
    says: ['I copied `README.md` to `read me.md`', 'I changed `Sums` to `Copies` in `read me.md`'],
  },
  {
    prompt: 'Create a folder called "new things", write "x" to "new things/x.txt", and list "new things"',
    tools: ['bash', 'write', 'bash'],
    files: { 'new things/x.txt': 'x' },
    says: ['I made the folder `new things`', '`new things` has 1 file:\n- `x.txt`'],
  },
  {
    prompt: 'Which files mention beta? Show me the first one.',
    tools: ['bash', 'read'],
    says: ['1 file with `beta`', 'alpha\nbeta'],
  },
  {
    prompt: 'First, replace all "a" with "A" in "src/my notes.txt". Second, show the last line of it. Finally run npm test.',
    tools: ['read', 'edit', 'bash', 'bash'],
    files: { 'src/my notes.txt': 'AlphA\nbetA\n' },
    says: ['3 times', 'The last 1 line of `src/my notes.txt`:\n```\nbetA\n```', 'all is well'],
  },
  {
    prompt: 'Write the file count.sh with:\n```sh\nwc -l < README.md\n```\nrun it, and then read it',
    tools: ['write', 'bash', 'read'],
    files: { 'count.sh': 'wc -l < README.md\n' },
    says: [/ended well and printed:\n```\n\s*3\n```/, '`count.sh` (1 line)'],
  },
  {
    prompt: 'add "at the top" to the top of README.md and show me its first 2 lines',
    tools: ['read', 'edit', 'read'],
    files: { 'README.md': 'at the top\n# Sums\n\nAdds numbers.\n' },
    says: ['at the beginning of `README.md`', 'at the top\n# Sums'],
  },
  {
    prompt: 'rename README.md to ABOUT.md, then read it',
    tools: ['bash', 'read'],
    says: ['I moved `README.md` to `ABOUT.md`', '`ABOUT.md` (3 lines)'],
  },
];

describe('a request of several steps', () => {
  it.each(TASKS)('is done with the default tools: $prompt', async ({ prompt, tools, files = {}, says }) => {
    const at = sit(PROJECT);
    const { calls, text } = await at.ask(prompt);
    for (const said of says) expect(text).toMatch(typeof said === 'string' ? new RegExp(literally(said)) : said);
    expect(toolsOf(calls)).toEqual(tools);
    for (const [name, content] of Object.entries(files)) expect(at.file(name)).toBe(content);
  });

  it('is done with the tools made for it when they are active', async () => {
    const at = sit(PROJECT, BUILT_IN_TOOLS);
    const { calls, text } = await at.ask('Find config.json, change "8080" to "9090" in it, search for 9090 and list settings');
    expect(toolsOf(calls)).toEqual(['find', 'edit', 'grep', 'ls']);
    expect(calls[1]?.args).toEqual({ path: 'settings/config.json', edits: [{ oldText: '8080', newText: '9090' }] });
    expect(text).toContain('settings/config.json:1: { "port": 9090 }');
    expect(text).toContain('`settings` has 1 file');
  });

  it('says what each step is before it makes its call', async () => {
    const at = sit(PROJECT);
    await at.ask('list src and then read README.md');
    const said = at.messages.flatMap((message) => (message.role === 'assistant' ? [textOf(message)] : []));
    expect(said.slice(0, 2)).toEqual(['Step 1 of 2: I list `src`.', 'Step 2 of 2: I read `README.md`.']);
  });

  it('stops at the first step that fails, and says what was not done', async () => {
    const at = sit(PROJECT);
    const { calls, text } = await at.ask('read nope.txt, then write "x" to made.txt and run npm test');
    expect(toolsOf(calls)).toEqual(['read']);
    expect(text).toContain('I could not read `nope.txt`');
    expect(text).toContain('the 2 steps after it are not done');
    expect(fs.existsSync(path.join(at.cwd, 'made.txt'))).toBe(false);
  });

  it('stops when a command fails', async () => {
    const { calls, text } = await sit(PROJECT).ask('run `echo broken; exit 3` and then read README.md');
    expect(toolsOf(calls)).toEqual(['bash']);
    expect(text).toMatch(/failed with exit code 3:\n```\nbroken\n```/);
  });

  it('stops when nothing was found for the step that needs it', async () => {
    const { calls, text } = await sit(PROJECT).ask('find gone.txt, then change "a" to "b" in it');
    expect(toolsOf(calls)).toEqual(['bash']);
    expect(text).toContain('I found no file named `gone.txt`');
    expect(text).toContain('There is no file to go on with');
  });

  it('does not guess which of several files to change', async () => {
    const at = sit({ 'a/x.txt': 'one', 'b/x.txt': 'one' });
    const { calls, text } = await at.ask('find x.txt and change "one" to "two" in it');
    expect(toolsOf(calls)).toEqual(['bash']);
    expect(text).toContain('I do not know which of these files is meant: `a/x.txt`, `b/x.txt`');
  });

  it('changes all that were found when all are meant', async () => {
    const at = sit({ 'a/x.txt': 'one one', 'b/x.txt': 'none' });
    await at.ask('find x.txt and change "one" to "two" in them');
    expect([at.file('a/x.txt'), at.file('b/x.txt')]).toEqual(['two two', 'ntwo']);
  });

  it('does what it understands before a part that it does not, and says which', async () => {
    const { calls, text } = await sit(PROJECT).ask('Read README.md. Then translate it to French.');
    expect(toolsOf(calls)).toEqual(['read']);
    expect(text).toContain('Adds numbers.');
    expect(text).toContain('I did not understand this part: "Then translate it to French."');
  });
});

describe('a change', () => {
  it('of a text that stands there several times is not made, and the lines are named', async () => {
    const at = sit({ 'a.txt': 'foo\nbar\nfoo\n' });
    const { text } = await at.ask('replace foo with x in a.txt');
    expect(text).toContain('`foo` is in `a.txt` 2 times (line 1, 3), so I changed nothing');
    expect(at.file('a.txt')).toBe('foo\nbar\nfoo\n');
  });

  it.each([
    ['foo\nfoo bar\nfoo\n\nfoo\n'],
    ['foo'],
    ['foofoo foo\n\n\nfoo\n'],
    ['x\nfoo\nx\nfoo\nx\nfoo\nx\n'],
    ['a\nb\nfoo\na\nb\nfoo\na\nb\n'],
    ['foo\r\nbar\r\nfoo\r\n'],
  ])('of every place is exact, whatever stands around: %j', async (content) => {
    const at = sit({ 'a.txt': content });
    await at.ask('replace all "foo" with "f" in a.txt');
    expect(at.file('a.txt')).toBe(content.replaceAll('foo', 'f'));
  });

  it('of every place reaches beyond what one read gives', async () => {
    const content = Array.from({ length: 4500 }, (_, line) => (line % 1500 === 7 ? `needle ${line}` : `line ${line}`)).join('\n');
    const at = sit({ 'long.txt': content });
    const { text } = await at.ask('replace all "needle" with "pin" in long.txt');
    expect(text).toContain('3 times');
    expect(at.file('long.txt')).toBe(content.replaceAll('needle', 'pin'));
  });

  it('of a name leaves longer words alone', async () => {
    const at = sit({ 'a.js': 'total + subtotal + totals + total\n' });
    await at.ask('rename total to sum in a.js');
    expect(at.file('a.js')).toBe('sum + subtotal + totals + sum\n');
  });

  it.each([
    ['', 'new\n'],
    ['a', 'a\nnew'],
    ['a\nb\n', 'a\nb\nnew\n'],
    ['b\nb\nb\n', 'b\nb\nb\nnew\n'],
    ['a\n\n\n', 'a\nnew\n\n\n'],
  ])('that adds a line keeps the rest: %j', async (before, after) => {
    const at = sit({ 'a.txt': before });
    await at.ask('append "new" to a.txt');
    expect(at.file('a.txt')).toBe(after);
  });

  it('that adds to a file which is not there makes it', async () => {
    const at = sit({});
    await at.ask('add the line "first" to "to do.txt"');
    expect(at.file('to do.txt')).toBe('first\n');
  });
});

describe('adding to what is no text', () => {
  it('leaves a folder and a file that cannot be read as they are', async () => {
    const at = sit({ 'folder/x.txt': 'x', 'data.bin': '\u0000\u0001\u0002' });
    expect((await at.ask('append "y" to "folder"')).text).toContain('I could not read `folder`');
    expect((await at.ask('append "y" to data.bin')).text).toContain('I could not read `data.bin`');
    expect(at.file('data.bin')).toBe('\u0000\u0001\u0002');
  });
});

describe('a follow-up', () => {
  it('means the last file of the conversation by "it"', async () => {
    const at = sit(PROJECT);
    await at.ask('read "src/my notes.txt"');
    await at.ask('list files');
    const edit = await at.ask('Now change "beta" to "delta" in it, please.');
    expect(edit.calls).toEqual([
      { tool: 'edit', args: { path: 'src/my notes.txt', edits: [{ oldText: 'beta', newText: 'delta' }] } },
    ]);
    const count = await at.ask('how many lines does that file have?');
    expect(count.text).toBe('`src/my notes.txt` has 2 lines.');
  });

  it('means what was found by "the first one"', async () => {
    const at = sit({ 'b.txt': 'bee', 'a.txt': 'ay' });
    await at.ask('find all .txt files');
    expect((await at.ask('show me the second one')).calls).toEqual([{ tool: 'read', args: { path: 'b.txt' } }]);
  });

  it('runs the last command again', async () => {
    const at = sit(PROJECT);
    await at.ask('run "node check.cjs"');
    expect((await at.ask('run it again')).calls).toEqual([{ tool: 'bash', args: { command: 'node check.cjs' } }]);
  });

  it('asks for a file when none has been named', async () => {
    const { calls, text } = await sit({}).ask('read it');
    expect(calls).toEqual([]);
    expect(text).toContain('There is no file to go on with');
  });

  it('goes on where an aborted request was left', async () => {
    const at = sit(PROJECT);
    at.messages.push(user('list src and then read README.md', 1));
    const { message } = await answerTo(at.messages, at.tools);
    at.messages.push(message);
    const id = message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []))[0] ?? '';
    const content = [{ type: 'text' as const, text: 'Command aborted' }];
    at.messages.push({ role: 'toolResult', toolCallId: id, toolName: 'bash', content, isError: true, timestamp: 2 });
    const { calls, text } = await at.ask('continue');
    expect(toolsOf(calls)).toEqual(['bash', 'read']);
    expect(text).toContain('`src` has 2 files');
    expect(text).toContain('# Sums');
  });

  it('is not confused by the calls of another model', async () => {
    const at = sit(PROJECT);
    at.messages.push(user('read README.md', 1));
    const { message } = await answerTo(at.messages, at.tools);
    at.messages.push({ ...message, api: 'anthropic-messages', provider: 'anthropic', model: 'other' });
    const id = message.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []))[0] ?? '';
    at.messages.push({ role: 'toolResult', toolCallId: id, toolName: 'read', content: [], isError: false, timestamp: 2 });
    expect(callsOf((await answerTo(at.messages, at.tools)).message)).toEqual([{ tool: 'read', args: { path: 'README.md' } }]);
  });
});

describe('with few tools', () => {
  it('counts and shows the end of a file with read alone', async () => {
    const at = sit(PROJECT, ['read']);
    expect((await at.ask('how many lines does README.md have?')).text).toBe('`README.md` has 3 lines.');
    expect((await at.ask('show its last line')).text).toContain('Adds numbers.');
    expect((await at.ask('change "Adds" to "Sums" in it')).text).toContain('needs the edit tool');
  });

  it('does nothing with none', async () => {
    const { calls, text } = await sit(PROJECT, []).ask('run npm test');
    expect(calls).toEqual([]);
    expect(text).toContain('Active tools: none.');
  });
});

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
