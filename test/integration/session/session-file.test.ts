import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { createSession, openSession, type Session } from '../../../core/session/session.js';
import { answer, answered, chain, entry, header, said, user } from '../../unit/session/builders.js';

let dir: string;
const open: Session[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-session-'));
});
afterEach(() => {
  for (const session of open.splice(0)) session.dispose();
  fs.rmSync(dir, { recursive: true, force: true });
});

const keep = (session: Session): Session => {
  open.push(session);
  return session;
};
const at = (name = 's.jsonl'): string => path.join(dir, name);
const reopen = (file = at()): Session => keep(openSession(file, { cwd: dir }));
const read = (file = at()): string => fs.readFileSync(file, 'utf8');
const records = (file = at()): StoredEntry[] =>
  read(file)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const write = (lines: readonly (object | string)[], end = '\n'): void => {
  fs.writeFileSync(at(), lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + end);
};
const texts = (session: Session): string[] =>
  session.contextMessages().map((message) => {
    const content = 'content' in message ? message.content : message.role;
    return typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  });
const say = (session: Session, text: string): StoredEntry =>
  session.append({ type: 'message', message: user([{ type: 'text', text }]) });
const CHAIN = ['first question', 'first answer', 'second question', 'second answer'];

describe('a new session', () => {
  test('knows its file from the start; the first user message makes it, with everything so far', () => {
    const session = keep(
      createSession({ cwd: '/w', sessionDir: at('deep/er'), name: 'early', now: () => new Date(Date.UTC(2025, 0, 2)) }),
    );
    const { file = '' } = session;
    expect(path.basename(file)).toBe(`2025-01-02T00-00-00-000Z_${session.id}.jsonl`);
    session.append({ type: 'model_change', provider: 'p', modelId: 'm' });
    session.append({
      type: 'message',
      message: { role: 'bashExecution', command: 'ls', output: '', cancelled: false, truncated: false, timestamp: 0 },
    });
    expect([session.isSaved, fs.existsSync(at('deep'))]).toEqual([false, false]);
    say(session, 'hi');
    expect(session.isSaved).toBe(true);
    expect(records(file).map(({ type }) => type)).toEqual(['session', 'session_info', 'model_change', 'message', 'message']);
    expect(fs.statSync(file).mode & 0o077).toBe(0);
    const before = read(file);
    session.append({ type: 'message', message: answer('hello') });
    expect(read(file).startsWith(before)).toBe(true);
    expect(records(file).slice(1)).toEqual(session.entries());
  });

  test('a path without a file, and an empty file, become a new session there', () => {
    fs.writeFileSync(at('empty.jsonl'), '\n\n');
    for (const name of ['fresh.jsonl', 'empty.jsonl']) {
      const session = keep(openSession(name, { cwd: dir, id: 'given-id' }));
      expect(session.file).toBe(at(name));
      say(session, 'hi');
      expect(records(at(name))).toMatchObject([{ type: 'session', version: 3, id: 'given-id', cwd: dir }, { type: 'message' }]);
    }
  });

  test('a directory that can’t be made refuses the message, and nothing has changed', () => {
    fs.writeFileSync(at('blocked'), 'a file');
    const session = keep(createSession({ cwd: '/w', sessionDir: at('blocked') }));
    expect(() => say(session, 'hi')).toThrow(expect.objectContaining({ code: 'SESSION_WRITE_FAILED' }));
    expect([session.entryCount, session.leafId, session.isSaved]).toEqual([0, null, false]);
    fs.rmSync(at('blocked'));
    say(session, 'again');
    expect(records(session.file)).toHaveLength(2);
  });

  test('a file that another program made meanwhile is not written over', () => {
    const session = keep(openSession(at(), { cwd: dir }));
    write([header(dir), ...chain()]);
    const before = read();
    expect(() => say(session, 'hi')).toThrow(expect.objectContaining({ code: 'SESSION_WRITE_FAILED' }));
    expect(read()).toBe(before);
  });

  test('a lock is held from opening or creating to dispose', () => {
    const events: string[] = [];
    const lock = (file: string) => {
      events.push(`lock ${path.basename(file)}`);
      return { confirm: () => 'held' as const, dispose: () => void events.push('free') };
    };
    write([header(dir), ...chain()]);
    openSession(at(), { cwd: dir, lock }).dispose();
    expect(events.splice(0)).toEqual(['lock s.jsonl', 'free']);
    const session = createSession({ cwd: dir, sessionDir: dir, id: 'x', lock });
    expect(events).toEqual([]);
    say(session, 'hi');
    say(session, 'more');
    session.dispose();
    session.dispose();
    expect(events.map((event) => event.replace(/lock .*_/, 'lock _'))).toEqual(['lock _x.jsonl', 'free']);
    fs.writeFileSync(at('notes'), 'notes\n');
    expect(() => openSession(at('notes'), { cwd: dir, lock })).toThrow('not a valid pi session');
    expect(events.slice(2)).toEqual(['lock notes', 'free']);
  });
});

describe('opening a file', () => {
  test('gives back what was appended, and goes on in the same bytes', () => {
    const first = keep(createSession({ cwd: '/w', sessionDir: dir, name: 'näme' }));
    first.append({ type: 'model_change', provider: 'p', modelId: 'm' });
    first.append({ type: 'thinking_level_change', thinkingLevel: 'low' });
    const text = 'a\u2028b\u2029c\r\nd\u0085e "quoted" \\ \ud83d end';
    say(first, text);
    first.append({ type: 'message', message: answer('ok') });
    const { file = '' } = first;
    const before = read(file);
    const second = reopen(file);
    expect(second.entries()).toEqual(first.entries());
    expect([second.name, second.leafId, second.model(), second.thinkingLevel(), second.messageCount]).toEqual([
      'näme',
      first.leafId,
      first.model(),
      'low',
      2,
    ]);
    expect(second.header).toEqual(first.header);
    expect(second.stats()).toEqual(first.stats());
    expect(texts(second)).toEqual([text, 'ok']);
    expect(second.entriesJson().text).toBe(`[${before.trimEnd().split('\n').slice(1).join(',')}]`);
    say(second, 'more');
    expect(read(file).startsWith(before)).toBe(true);
    expect(records(file).at(-1)).toMatchObject({ parentId: first.leafId });
  });

  test('reading changes nothing, whatever the file holds', () => {
    write([header(dir), ...chain(), '%%%', '{"type":"message","id":"aaaaaaa5","par'], '');
    const before = read();
    const session = reopen();
    session.contextMessages();
    session.treeJson();
    expect(read()).toBe(before);
  });

  test.each<[string, string | Buffer]>([
    ['notes', 'just some notes\n'],
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 10, 65])],
    ['other JSON', '{"a":1}\n'],
    ['a header without id', '{"type":"session","version":3}\n'],
  ])('what is no session is refused and not touched: %s', (_name, content) => {
    fs.writeFileSync(at(), content);
    expect(() => reopen()).toThrow(
      expect.objectContaining({ code: 'SESSION_INVALID_FILE', message: expect.stringContaining('not a valid pi session') }),
    );
    expect(fs.readFileSync(at()).equals(Buffer.from(content))).toBe(true);
  });

  test('a directory is refused', () => {
    expect(() => reopen(dir)).toThrow(expect.objectContaining({ code: 'SESSION_READ_FAILED' }));
  });

  test('unknown types and fields are kept, returned and in the tree', () => {
    const future = entry('future_thing', 'ffffffff', 'aaaaaaa2', { payload: { deep: [1, 'ü'] } });
    const odd = { ...said('aaaaaaa1', null, 'first question'), futureField: { x: 1 } };
    const list = [odd, chain()[1], future, said('aaaaaaa3', 'ffffffff', 'second question')];
    write([header(dir, { futureHeader: 'y' }), ...list.map((value) => value ?? '')]);
    const session = reopen();
    expect(session.entries()).toEqual(list);
    expect(session.header).toMatchObject({ futureHeader: 'y' });
    expect(session.getEntry('ffffffff')).toEqual(future);
    expect(session.branch().map(({ id }) => id)).toEqual(['aaaaaaa1', 'aaaaaaa2', 'ffffffff', 'aaaaaaa3']);
    expect(session.treeJson().text).toContain(JSON.stringify(future));
  });

  test('a version nobody knows yet is accepted as it is', () => {
    write([header(dir, { version: 99 }), ...chain()]);
    expect(texts(reopen())).toEqual(CHAIN);
    expect(records()[0]).toMatchObject({ version: 99 });
  });

  test('version 1 and 2 are rewritten as version 3', () => {
    const old = chain().map(({ type, timestamp, message }) => ({ type, timestamp, message }));
    write([header(dir, { version: undefined }), ...old, '%%% noise']);
    expect(texts(reopen())).toEqual(CHAIN);
    expect(read().split('\n')[0]).toMatch(/"version":3\}$/);
    expect(read()).toContain('\n%%% noise\n');
    const hook = entry('message', 'aaaaaaa5', 'aaaaaaa4', {
      message: { role: 'hookMessage', customType: 'x', content: 'HOOKED', display: true, timestamp: 1 },
    });
    write([header(dir, { version: 2 }), ...chain(), hook]);
    expect(reopen().contextMessages().at(-1)).toMatchObject({ role: 'custom', content: 'HOOKED' });
    expect(fs.readdirSync(dir)).toEqual(['s.jsonl']);
  });

  test('messages that lack what readers rely on are filled in', () => {
    write([
      header(dir),
      entry('message', 'a1', null, { message: { role: 'user', content: 'q' } }),
      entry('message', 'a2', 'a1', { message: { role: 'assistant', content: 'a' } }),
      entry('message', 'a3', 'a2', { message: { role: 'toolResult', toolCallId: 'x' } }),
      entry('message', 'a4', 'a3', { message: 7 }),
    ]);
    const session = reopen();
    expect(session.messageCount).toBe(3);
    expect(session.contextMessages()).toMatchObject([
      { role: 'user', timestamp: expect.any(Number) },
      { content: [{ type: 'text', text: 'a' }], usage: { input: 0, cost: { total: 0 } }, stopReason: 'stop' },
      { content: [], isError: false },
    ]);
    expect(session.stats().contextTokens).toBe(2);
  });

  test('ids used twice, cycles and self-parents do not hang', () => {
    write([header(dir), ...chain(), said('aaaaaaa3', 'aaaaaaa4', 'same id')]);
    const twice = reopen();
    expect(texts(twice)).toEqual([...CHAIN, 'same id']);
    say(twice, 'third question');
    expect(texts(reopen())).toEqual([...CHAIN, 'same id', 'third question']);
    write([header(dir), said('aaaaaaa1', 'aaaaaaa2', 'one'), answered('aaaaaaa2', 'aaaaaaa1', 'two')]);
    expect(texts(reopen())).toEqual(['one', 'two']);
    write([header(dir), said('aaaaaaa1', 'aaaaaaa1', 'me')]);
    const self = reopen();
    expect(self.tree()).toHaveLength(1);
    expect(texts(self)).toEqual(['me']);
  });
});

describe('damage', () => {
  /** Opens what was written, goes on, and opens it again: nothing may be missing. */
  const goOn = (): Session => {
    const session = reopen();
    expect(texts(session)).toEqual(CHAIN);
    say(session, 'third question');
    session.append({ type: 'message', message: answer('third answer') });
    const again = reopen();
    expect(texts(again)).toEqual([...CHAIN, 'third question', 'third answer']);
    expect(again.entries()).toEqual(session.entries());
    expect(JSON.parse(again.entriesJson().text)).toEqual(again.entries());
    return again;
  };
  const lines = (): string[] => [header(dir), ...chain()].map((value) => JSON.stringify(value));

  test('G24: a last line without newline is ended before the next record', () => {
    write(lines(), '');
    goOn();
    expect(records()).toHaveLength(7);
  });

  test('G24: a header without newline is ended before the first record', () => {
    write([header(dir)], '');
    say(reopen(), 'hi');
    expect(records()).toHaveLength(2);
  });

  test.each([25, 70, 150])('G24: half a record at the end, %i bytes of it, is set aside and nothing is glued to it', (bytes) => {
    const torn = JSON.stringify(said('aaaaaaa5', 'aaaaaaa4', 'cut off')).slice(0, bytes);
    write([...lines(), torn], '');
    const session = reopen();
    expect(session.problems).toEqual([{ line: 6, kind: 'torn', bytes, recovered: 0 }]);
    session.dispose();
    goOn();
    expect(records()).toHaveLength(7);
    expect(read(`${at()}.torn`)).toBe(`${torn}\n`);
  });

  test('G24: where nothing can be put beside the file, half a record is ended by a newline instead', () => {
    write([...lines(), '{"type":"message","id":"aaaaaaa5","par'], '');
    fs.mkdirSync(`${at()}.torn`);
    goOn();
    expect(read().split('\n')[5]).toBe('{"type":"message","id":"aaaaaaa5","par');
  });

  test('G25: records glued together are split, also one glued to half of another', () => {
    const [head, one, two, three, four] = lines();
    const half =
      '{"type":"message","id":"aaaaaaa9","parentId":"aaaaaaa1","message":{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"toolCall","id":"c"';
    write([head ?? '', `${one}${two}`, `${half}${three}`, four ?? '']);
    const before = read();
    const session = goOn();
    expect(session.problems).toMatchObject([
      { line: 2, kind: 'fused', recovered: 2 },
      { line: 3, kind: 'fused', recovered: 1 },
    ]);
    expect(read().startsWith(before)).toBe(true);
  });

  test('G25: a glued last line without newline keeps its records', () => {
    const [head, one, two, three, four] = lines();
    write([head ?? '', one ?? '', two ?? '', `${three}${four}`], '');
    goOn();
  });

  test('G25: noise, blank lines and values that are no entries are skipped, counted and left in the file', () => {
    const [head, one, two, ...rest] = lines();
    write([
      head ?? '',
      one ?? '',
      '',
      two ?? '',
      '%%% not json {{{',
      'null',
      '42',
      '"text"',
      '[]',
      '{}',
      '{"type":"x"}',
      '\0\0\0',
      ...rest,
      '  ',
    ]);
    const before = read();
    const session = goOn();
    expect(session.problemCount).toBe(8);
    expect(session.problems[0]).toEqual({ line: 5, kind: 'noise', bytes: 16, recovered: 0 });
    expect(read().startsWith(before)).toBe(true);
  });

  test('a lost parent makes a further root; an orphan at the end is the leaf', () => {
    const l = lines();
    l[2] = (l[2] ?? '').slice(0, 60);
    write(l);
    const session = reopen();
    expect(session.tree().map(({ entry: { id } }) => id)).toEqual(['aaaaaaa1', 'aaaaaaa3']);
    expect(texts(session)).toEqual(['second question', 'second answer']);
    expect(session.getEntry('aaaaaaa3')?.parentId).toBe('aaaaaaa2');
  });

  test('CRLF line ends and a byte order mark are accepted', () => {
    fs.writeFileSync(at(), `\ufeff${lines().join('\r\n')}\r\n`);
    goOn();
  });

  test('a line of eight megabytes, and lines that straddle the blocks they are read in', () => {
    const list = [
      ...chain(),
      said('aaaaaaa5', 'aaaaaaa4', 'é'.repeat(4_000_000)),
      said('aaaaaaa6', 'aaaaaaa5', 'x'.repeat(300_000)),
    ];
    for (let n = 0; n < 2000; n++) list.push(said(`b${n}`, list.at(-1)?.id ?? null, `${n} ${'word '.repeat(n % 300)}`));
    write([header(dir), ...list]);
    const session = reopen();
    expect(session.entries()).toEqual(list);
    expect(JSON.parse(session.entriesJson().text)).toEqual(list);
    expect(session.contextMessages()).toHaveLength(list.length);
    expect(session.branch()).toEqual(list);
  });

  test('raw line separators and invalid UTF-8 in a file are written anew when entries are handed out', () => {
    const raw = JSON.stringify(said('aaaaaaa5', 'aaaaaaa4', 'a\u2028b\u0085c'));
    const invalid = Buffer.concat([
      Buffer.from('{"type":"custom","id":"aaaaaaa6","parentId":"aaaaaaa5","timestamp":"t","data":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n'),
    ]);
    fs.writeFileSync(at(), Buffer.concat([Buffer.from(`${lines().join('\n')}\n${raw}\n`), invalid]));
    const session = reopen();
    for (const { text } of [session.entriesJson(), session.contextMessagesJson(), session.treeJson()]) {
      expect(text).not.toMatch(/[\u2028\u2029\u0085]/);
      expect(text).toContain('a\\u2028b\\u0085c');
    }
    expect(JSON.parse(session.entriesJson().text)).toEqual(session.entries());
    expect(session.entries().at(-1)).toMatchObject({ data: '\ufffd' });
  });

  test('a file deleted while in use refuses the next record instead of losing it silently', () => {
    write(lines());
    const session = reopen();
    say(session, 'one more');
    fs.rmSync(at());
    expect(() => say(session, 'lost?')).toThrow(expect.objectContaining({ code: 'SESSION_WRITE_FAILED' }));
    expect(texts(session)).toEqual([...CHAIN, 'one more']);
  });
});

test('G27: after a compaction the context costs the entries it keeps, however many came before', () => {
  const list: StoredEntry[] = [];
  for (let n = 0; n < 20_000; n++) list.push(said(`e${n}`, n ? `e${n - 1}` : null, `m${n}`));
  list.push(
    entry('compaction', 'c', 'e19999', { summary: 'S', firstKeptEntryId: 'e19998', tokensBefore: 1 }),
    said('z', 'c', 'last'),
  );
  write([header(dir), ...list]);
  const session = reopen();
  const parse = JSON.parse;
  let parsed = 0;
  JSON.parse = (...args: Parameters<typeof parse>) => {
    parsed++;
    return parse(...args);
  };
  try {
    expect(session.contextMessages()).toHaveLength(4);
    expect(session.messageCount).toBe(4);
    session.stats();
  } finally {
    JSON.parse = parse;
  }
  expect(parsed).toBeLessThan(10);
});
