import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { isCoded } from '../../../core/base/coded-error.js';
import { createSharedWords, SHARED_WORDS, versionWord } from '../../../core/extension-host/contract/shared-memory.js';
import type { StateChange } from '../../../core/extension-host/contract/state.js';
import { StateFeed } from '../../../core/extension-host/host/state-feed.js';
import { StateStore } from '../../../core/extension-host/process/state-store.js';
import { Answers } from '../../../core/extension-host/worker/answers.js';
import { appendJsonLines, StateReader } from '../../../core/extension-host/worker/state-reader.js';

const nothing = () => null;
const NOTHING = { session: nothing, agent: nothing, models: nothing, tools: nothing, commands: nothing, prompt: nothing };

/** Feed, store and reader in one thread: the answer is there before the reader looks. */
function chain(entries: string[]) {
  const words = createSharedWords();
  const { port1, port2 } = new MessageChannel();
  const sent: StateChange[] = [];
  const asked: number[] = [];
  const store = new StateStore((topic, version) => Atomics.store(words, versionWord(topic), version));
  const feed = new StateFeed({ ...NOTHING, entries: () => entries }, (change, bytes) => {
    sent.push(change);
    store.apply(change, bytes);
  });
  const reader = new StateReader({
    words,
    answers: new Answers({ words, port: port2, maxWaitMs: 50 }),
    ask: ({ read, since, request }) => {
      asked.push(since);
      feed.want(read);
      port1.postMessage({ request, ...store.slice(read, since) });
      Atomics.add(words, SHARED_WORDS.answers, 1);
    },
  });
  const read = reader.topic<unknown[]>('entries', [], appendJsonLines);
  return { feed, read, sent, asked, words, close: () => port1.close() };
}

describe('state that is read without await', () => {
  it('is not sent before somebody reads it', () => {
    const { feed, sent, close } = chain(['1']);
    feed.entryAppended('2');
    feed.entriesReplaced();
    expect(sent).toEqual([]);
    close();
  });

  it('is sent whole at the first read and then as it changes', () => {
    const entries = ['{"id":"a"}'];
    const { feed, read, sent, asked, close } = chain(entries);
    expect(read()).toEqual([{ id: 'a' }]);
    feed.entryAppended('{"id":"b"}');
    feed.entryAppended(Buffer.from('{"id":"é"}'));
    expect(read()).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'é' }]);
    expect(sent.map(({ version, reset }) => [version, reset])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);
    expect(asked).toEqual([0, 1]);
    close();
  });

  it('is not asked for again while nothing changed', () => {
    const { read, asked, close } = chain(['1']);
    read();
    read();
    read();
    expect(asked).toEqual([0]);
    close();
  });

  it('is new after the session was replaced, also for a reader that missed several versions', () => {
    const entries = ['1', '2'];
    const { feed, read, close } = chain(entries);
    expect(read()).toEqual([1, 2]);
    feed.entryAppended('3');
    entries.splice(0, 2, '7');
    feed.entriesReplaced();
    feed.entryAppended('8');
    expect(read()).toEqual([7, 8]);
    close();
  });

  it('may be empty', () => {
    const { read, asked, close } = chain([]);
    expect(read()).toEqual([]);
    expect(read()).toEqual([]);
    expect(asked).toEqual([0]);
    close();
  });

  it('crosses in parts when it is large, and is published with the last', () => {
    const line = JSON.stringify({ text: 'x'.repeat(600_000) });
    const { read, sent, words, close } = chain([line, line, line, line, line]);
    const published: number[] = [];
    expect(read()).toHaveLength(5);
    published.push(Atomics.load(words, versionWord('entries')));
    expect(sent.map(({ version, more }) => [version, more])).toEqual([
      [1, true],
      [1, true],
      [1, false],
    ]);
    expect(published).toEqual([1]);
    close();
  });

  it('fails with a code when nobody answers', () => {
    const { port1, port2 } = new MessageChannel();
    const words = createSharedWords();
    const answers = new Answers({ words, port: port2, maxWaitMs: 20 });
    const reader = new StateReader({ words, answers, ask: () => undefined });
    let thrown: unknown;
    try {
      reader.topic<unknown[]>('entries', [], appendJsonLines)();
    } catch (error) {
      thrown = error;
    }
    expect(isCoded(thrown, 'DEADLINE_EXCEEDED')).toBe(true);
    port1.close();
  });

  it('takes no late answer for the one it asked for', () => {
    const { port1, port2 } = new MessageChannel();
    const words = createSharedWords();
    const reader = new StateReader({
      words,
      answers: new Answers({ words, port: port2 }),
      ask: ({ request }) => {
        port1.postMessage({ request: request - 1, version: 5, reset: true, bytes: Buffer.from('"late"\n') });
        port1.postMessage({ request, version: 6, reset: true, bytes: Buffer.from('"right"\n') });
      },
    });
    expect(reader.topic<unknown[]>('entries', [], appendJsonLines)()).toEqual(['right']);
    port1.close();
  });
});
