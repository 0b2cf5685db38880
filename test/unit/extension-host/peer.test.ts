import { describe, expect, it } from 'vitest';
import { CodedError, isCoded } from '../../../core/base/coded-error.js';
import { method, note } from '../../../core/extension-host/contract/method.js';
import { integer, json, jsonObject, nothing, text, tuple } from '../../../core/extension-host/contract/shape.js';
import { Peer } from '../../../core/extension-host/contract/wire/peer.js';

const contract = {
  'math.add': method({ args: tuple(integer(), integer()), result: integer(), progress: text() }),
  'math.wait': method({ args: tuple(), result: nothing, abortGraceMs: 60_000 }),
  'math.never': method({ args: tuple(), result: nothing, deadlineMs: 1 }),
  'math.any': method({ args: tuple(json), result: json }),
  'log.line': note(tuple(jsonObject)),
};
type ContractOf = typeof contract;

/** A caller and the other side, linked in memory; messages arrive in order, a turn later. */
function link(change: (line: string) => string = (line) => line) {
  const seen = { refused: [] as string[], notes: [] as unknown[], aborted: 0 };
  const refused = (error: unknown): void =>
    void seen.refused.push(isCoded(error) ? `${error.code}: ${error.message}` : String(error));
  const caller: Peer<Record<never, never>, ContractOf> = new Peer({
    local: {},
    remote: contract,
    implementation: {},
    send: (line) => queueMicrotask(() => other.receive(line)),
    onRefused: refused,
  });
  const other: Peer<ContractOf, Record<never, never>> = new Peer({
    local: contract,
    remote: {},
    implementation: {
      'math.add': ([a, b], { progress }) => {
        progress('adding');
        return a + b;
      },
      'math.wait': (_args, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            seen.aborted++;
            resolve(null);
          }),
        ),
      'math.never': () => new Promise<null>(() => undefined),
      'math.any': ([value]) => {
        if (value === 'throw') throw new CodedError('SOME_CODE', 'said so', { data: { a: 1 }, cause: new TypeError('why') });
        if (value === 'cycle') {
          const cycle: { self?: unknown } = {};
          cycle.self = cycle;
          return cycle;
        }
        return value;
      },
      'log.line': ([line]) => {
        if (line.throw) throw new Error('in a note');
        seen.notes.push(line);
      },
    },
    send: (line) => queueMicrotask(() => caller.receive(change(line))),
    onRefused: refused,
  });
  return { caller, other, seen };
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return isCoded(error) ? error.code : 'uncoded';
  }
};

describe('a channel', () => {
  it('carries calls, progress, results and notes', async () => {
    const { caller, seen } = link();
    const progress: string[] = [];
    await expect(caller.call('math.add', [1, 2], { onProgress: (value) => progress.push(value) })).resolves.toBe(3);
    caller.notify('log.line', [{ hello: 1 }]);
    await expect(caller.call('math.any', [null])).resolves.toBeNull();
    expect(progress).toEqual(['adding']);
    expect(seen).toEqual({ refused: [], notes: [{ hello: 1 }], aborted: 0 });
  });

  it('carries code, data, cause and stack of an error', async () => {
    const error: unknown = await link()
      .caller.call('math.any', ['throw'])
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SOME_CODE', message: 'said so', data: { a: 1 }, cause: { message: 'why' } });
    expect(String(((error as Error).cause as { cause: Error }).cause.stack)).toContain('peer.test');
  });

  it('answers with an error when a result can not be written', async () => {
    expect(await codeOf(link().caller.call('math.any', ['cycle']))).toBe('BOUNDARY_UNWRITABLE_VALUE');
  });

  it('fails a call whose arguments can not be written, and waits for nothing', async () => {
    const { caller } = link();
    expect(await codeOf(caller.call('math.any', [1n]))).toBe('BOUNDARY_UNWRITABLE_VALUE');
    expect(caller.pendingCalls).toBe(0);
  });

  it('tells the other side of an abort, and takes its answer', async () => {
    const { caller, seen } = link();
    const aborting = new AbortController();
    const call = caller.call('math.wait', [], { signal: aborting.signal });
    aborting.abort();
    await expect(call).resolves.toBeNull();
    expect(seen.aborted).toBe(1);
  });

  it('tells the other side also when the signal had fired before the call', async () => {
    const { caller, seen } = link();
    await expect(caller.call('math.wait', [], { signal: AbortSignal.abort() })).resolves.toBeNull();
    expect(seen.aborted).toBe(1);
  });

  it('ends a call at its deadline', async () => {
    const { caller } = link();
    expect(await codeOf(caller.call('math.never', []))).toBe('DEADLINE_EXCEEDED');
    expect(caller.pendingCalls).toBe(0);
  });

  it('rejects a result or progress of the wrong shape', async () => {
    const { caller, seen } = link((line) => line.replace('"value":3', '"value":"three"').replace('"adding"', '{"a":1}'));
    expect(await codeOf(caller.call('math.add', [1, 2], { onProgress: () => undefined }))).toBe('BOUNDARY_BAD_MESSAGE');
    expect(seen.refused).toHaveLength(1);
  });

  it('gives every pending call its fate when the other side is gone, and takes nothing more', async () => {
    const { caller, other, seen } = link();
    const call = caller.call('math.wait', []);
    await Promise.resolve();
    caller.close(new CodedError('GONE', 'gone'));
    expect(await codeOf(call)).toBe('GONE');
    expect(await codeOf(caller.call('math.add', [1, 2]))).toBe('GONE');
    other.close(new CodedError('GONE', 'gone'));
    expect(seen.aborted).toBe(1);
    other.receive('{"type":"note","method":"log.line","args":[{}]}');
    expect(seen.notes).toEqual([]);
  });
});

describe('the gate', () => {
  const hostile: [string, string][] = [
    ['a line that is not JSON', 'nonsense'],
    ['a half message', '{"type":"call","id":900,'],
    ['null', 'null'],
    ['an unknown form', '{"type":"construct","id":900,"method":"math.add","args":[1,2]}'],
    ['an unknown method', '{"type":"call","id":900,"method":"math.sub","args":[1,2]}'],
    ['an inherited method', '{"type":"call","id":900,"method":"constructor","args":["return process"]}'],
    ['a method named __proto__', '{"type":"call","id":900,"method":"__proto__","args":[]}'],
    ['a path instead of a name', '{"type":"call","id":900,"method":["math.add","constructor"],"args":[1,2]}'],
    ['arguments of the wrong type', '{"type":"call","id":900,"method":"math.add","args":["1",2]}'],
    ['too few arguments', '{"type":"call","id":900,"method":"math.add","args":[1]}'],
    ['arguments that are no list', '{"type":"call","id":900,"method":"math.add","args":{"0":1,"1":2}}'],
    ['a note called as a method', '{"type":"call","id":900,"method":"log.line","args":[{}]}'],
    ['a method told as a note', '{"type":"note","method":"math.add","args":[1,2]}'],
    ['an id that is no number', '{"type":"call","id":"1","method":"math.add","args":[1,2]}'],
    ['an id of zero', '{"type":"call","id":0,"method":"math.add","args":[1,2]}'],
    ['a note that throws', '{"type":"note","method":"log.line","args":[{"throw":true}]}'],
  ];

  it.each(hostile)('reports %s and goes on', async (_what, line) => {
    const { caller, other, seen } = link();
    other.receive(line);
    expect(seen.refused).toHaveLength(1);
    await expect(caller.call('math.add', [1, 2])).resolves.toBe(3);
  });

  it('answers what it refuses when there is somebody to answer', async () => {
    const lines: string[] = [];
    const { seen } = link();
    const gate = new Peer({
      local: contract,
      remote: {},
      implementation: {
        'math.add': () => 0,
        'math.wait': () => null,
        'math.never': () => null,
        'math.any': () => null,
        'log.line': () => undefined,
      },
      send: (line) => lines.push(line),
      onRefused: () => seen.refused.push('reported'),
    });
    gate.receive('{"type":"call","id":7,"method":"constructor","args":[]}');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'error', id: 7, error: { code: 'BOUNDARY_BAD_MESSAGE' } });
  });

  it('refuses a second call under an id that is running, and leaves the first alone', async () => {
    const { caller, other, seen } = link();
    const aborting = new AbortController();
    const call = caller.call('math.wait', [], { signal: aborting.signal });
    await Promise.resolve();
    other.receive('{"type":"call","id":1,"method":"math.wait","args":[]}');
    expect(seen.refused).toHaveLength(1);
    aborting.abort();
    await expect(call).resolves.toBeNull();
  });

  it('drops answers, progress and cancels that belong to nothing', () => {
    const { caller, seen } = link();
    caller.receive('{"type":"result","id":99,"value":1}\n{"type":"error","id":99,"error":{"code":"A","message":"b"}}');
    caller.receive('{"type":"progress","id":99,"value":1}\n\n{"type":"cancel","id":99}');
    expect(seen.refused).toEqual([]);
  });

  it('lets no `__proto__` through', async () => {
    const { other, seen } = link();
    other.receive('{"type":"note","method":"log.line","args":[{"a":{"__proto__":{"evil":1}},"__proto__":{"evil":1}}]}');
    expect(JSON.stringify(seen.notes)).toBe('[{"a":{}}]');
    expect(Object.getPrototypeOf(seen.notes[0])).toBe(Object.prototype);
  });
});
