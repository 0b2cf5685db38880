import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../../core/base/logger.js';
import { addSecret } from '../../../core/base/secrets.js';
import { DEFAULT_HOST_SETTINGS } from '../../../core/extension-host/contract/settings.js';
import { createSharedWords, SHARED_WORDS } from '../../../core/extension-host/contract/shared-memory.js';
import { BackOff } from '../../../core/extension-host/host/back-off.js';
import { Heartbeat } from '../../../core/extension-host/host/heartbeat.js';
import { OutputLog } from '../../../core/extension-host/host/output-log.js';
import { WorkerWatch } from '../../../core/extension-host/process/watch.js';

describe('the watch on a worker', () => {
  /** Looks for `ms`, with a thread that uses `share` of a CPU. */
  function watch(share: number | undefined, hasChild = false) {
    const words = createSharedWords();
    const seen: string[] = [];
    let cpu = 0;
    const watching = new WorkerWatch({
      words,
      settings: DEFAULT_HOST_SETTINGS,
      onSlow: () => seen.push('slow'),
      onSilent: (reason, silentMs) => seen.push(`${reason} after ${silentMs}`),
      cpuMs: () => (share === undefined ? undefined : cpu),
      hasChild: () => hasChild,
    });
    const look = (ms: number, each: () => void = () => undefined): void => {
      for (let at = 0; at < ms; at += DEFAULT_HOST_SETTINGS.beatMs) {
        cpu += (share ?? 0) * DEFAULT_HOST_SETTINGS.beatMs;
        each();
        watching.look();
      }
    };
    return { words, seen, look };
  }

  it('leaves a thread alone that beats, however much it computes', () => {
    const { words, seen, look } = watch(1);
    look(60_000, () => Atomics.add(words, SHARED_WORDS.beat, 1));
    expect(seen).toEqual([]);
  });

  it('ends a silent thread that burns CPU after 2 s', () => {
    const { seen, look } = watch(1);
    look(60_000);
    expect(seen).toEqual(['slow', 'busy after 2000']);
  });

  it('still sees the burning on a machine that gives it a third of a CPU', () => {
    const { seen, look } = watch(0.33);
    look(60_000);
    expect(seen).toEqual(['slow', 'busy after 2000']);
  });

  it('gives a thread that waits without a child 5 s, one with a child 30 s', () => {
    const alone = watch(0);
    alone.look(60_000);
    expect(alone.seen).toEqual(['slow', 'blocked after 5000']);
    const parent = watch(0, true);
    parent.look(60_000);
    expect(parent.seen).toEqual(['slow', 'blocked after 30000']);
  });

  it('counts a silent thread as blocked where the system tells no CPU time', () => {
    const { seen, look } = watch(undefined);
    look(60_000);
    expect(seen).toEqual(['slow', 'blocked after 5000']);
  });

  it('counts silence anew after a beat', () => {
    const { words, seen, look } = watch(1);
    look(1_750);
    look(250, () => Atomics.add(words, SHARED_WORDS.beat, 1));
    look(1_750);
    expect(seen).toEqual(['slow', 'slow']);
  });

  it('does not blame a thread that waits for an answer of ours', () => {
    const { words, seen, look } = watch(0);
    Atomics.store(words, SHARED_WORDS.reading, 1);
    look(60_000);
    expect(seen).toEqual([]);
  });
});

describe('the heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reports silence once, and only when no answer came for the whole time', async () => {
    let answer: () => void = () => undefined;
    const silent = vi.fn();
    const heartbeat = new Heartbeat({
      everyMs: 250,
      silentMs: 5_000,
      ask: () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
      onSilent: silent,
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(silent).not.toHaveBeenCalled();
    answer();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(silent).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(silent).toHaveBeenCalledTimes(1);
    heartbeat.dispose();
  });
});

describe('the back-off', () => {
  it('waits longer each time, and briefly again after five quiet minutes', () => {
    let now = 0;
    const backOff = new BackOff(() => now);
    expect(backOff.next()).toBe(200);
    expect(backOff.next()).toBe(1_000);
    expect(backOff.next()).toBe(5_000);
    expect(backOff.next()).toBe(5_000);
    now += 5 * 60_000;
    expect(backOff.next()).toBe(200);
  });
});

describe('the log of what extensions print', () => {
  function output() {
    const lines: { message: string; extension: string | null }[] = [];
    let now = 1_000_000;
    const log = createLogger({ room: 'host', level: 'debug', write: (line) => lines.push(JSON.parse(line)) });
    const made = new OutputLog({ log, maxLinesPerSecond: 3, maxLineLength: 10, now: () => now });
    const pass = (ms: number): void => {
      now += ms;
    };
    return { made, lines, messages: () => lines.map(({ message }) => message), pass };
  }

  it('is of whole lines with the name of the extension', () => {
    const { made, lines } = output();
    made.add('a', 'stdout', 'one\ntw');
    made.add('b', 'stdout', 'other\n');
    made.add('a', 'stdout', 'o\r\nthree');
    made.end();
    expect(lines.map(({ message, extension }) => `${extension}: ${message}`)).toEqual([
      'a: one',
      'b: other',
      'a: two',
      'a: three',
    ]);
  });

  it('is limited in rate, says how much it left out, and cuts long lines', () => {
    const { made, messages, pass } = output();
    made.add('a', 'stderr', 'x\n'.repeat(100));
    made.add('b', 'stderr', 'y'.repeat(10_000));
    expect(messages()).toEqual(['x', 'x', 'x', 'y'.repeat(10)]);
    pass(1_000);
    made.add('a', 'stderr', 'later\n');
    expect(messages().slice(4)).toEqual(['97 more lines were dropped', 'later']);
  });

  it('G38: holds no part of a secret that stands across a cut, or comes in two pieces', () => {
    const { made, messages } = output();
    addSecret('secret-across-71f1');
    made.add('a', 'stdout', 'xxxxxsecret-across-71f1\n');
    made.add('b', 'stdout', `xxxxx${'z'.repeat(6_000)}secret-ac`);
    made.add('b', 'stdout', 'ross-71f1\n');
    made.end();
    expect(messages().join()).not.toMatch(/across|71f1|secret-/);
    expect(messages()[0]).toBe('xxxxx[secr');
  });
});
