import v8 from 'node:v8';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../core/base/coded-error.js';
import {
  coreForSupervisorContract,
  coreForWorkerContract,
  coreSyncContract,
  supervisorContract,
} from '../../core/extension-host/contract/sides.js';
import { encodeFrame, FRAME_KINDS, FrameReader } from '../../core/extension-host/contract/wire/frames.js';
import { Peer } from '../../core/extension-host/contract/wire/peer.js';
import { CapabilityGate } from '../../core/extension-host/host/capability-gate.js';
import { ExtensionRecord } from '../../core/extension-host/host/extension-record.js';
import { WorkerBridge, type WorkerBridgeOptions } from '../../core/extension-host/host/worker-bridge.js';
import { GatedEndpoint } from '../../core/extension-host/process/gated-endpoint.js';
import { Grants } from '../../core/trust/grants.js';

/** The same messages at every run; change it to look elsewhere. */
const SEED = 20_261_201;
const BATCH = 100;
const BATCHES = 300;

const OWN = 'mine';
const FOREIGN = 'theirs';
const METHODS = [coreForWorkerContract, coreSyncContract, coreForSupervisorContract].flatMap((contract) => Object.keys(contract));
const TRAPS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf', ''];

const trap = fc.constantFrom(...TRAPS);
const word = fc.oneof(
  fc.constantFrom(OWN, OWN, OWN, FOREIGN, 'turn_end', 'tool_call', 'session'),
  trap,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constant('x'.repeat(70_000)),
);
const scalar = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constantFrom(1e308, -0, 2 ** 53));
/** Values of every kind, with keys that mean something to JavaScript. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(fc.tuple(word, tie('value')), { maxLength: 4 }).map((pairs) => ({ pairs })) },
  ),
}));

/** JSON by hand: an object literal could not have an own `__proto__`. */
function toJson(given: unknown): string {
  if (Array.isArray(given)) return `[${given.map(toJson).join(',')}]`;
  if (typeof given === 'object' && given !== null && 'pairs' in given) {
    const pairs = given.pairs as [string, unknown][];
    return `{${pairs.map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(given) ?? 'null';
}

const deep = fc.integer({ min: 900, max: 3_000 }).map((levels) => `${'[['.repeat(levels)}${']]'.repeat(levels)}`);
const id = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.constantFrom(0, -1, 1.5, 2 ** 53, 'x', null, 1e9),
  fc.integer({ min: 1, max: 1e6 }),
);
const method = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: word });
const args = fc.oneof(
  { weight: 6, arbitrary: fc.array(value, { maxLength: 4 }).map((rest) => toJson([OWN, ...rest])) },
  { weight: 3, arbitrary: fc.array(value, { maxLength: 5 }).map(toJson) },
  { weight: 1, arbitrary: value.map(toJson) },
  { weight: 1, arbitrary: deep },
);
const type = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('call', 'note', 'result', 'error', 'progress', 'cancel') },
  { weight: 1, arbitrary: word },
);
/** One sound use of members of every kind. */
const SOUND: readonly (readonly [kind: 'call' | 'note', method: string, args: readonly unknown[]])[] = [
  ['note', 'ui.notice', [OWN, { method: 'notify', message: 'hello' }]],
  ['call', 'ui.dialog', [OWN, { method: 'confirm', title: 'Sure?', message: '' }]],
  ['note', 'ui.degraded', [OWN, 'ctx.ui.custom']],
  ['note', 'hooks.subscribed', [OWN, 'turn_end', true]],
  ['note', 'hooks.failed', [{ extension: OWN, hook: 'turn_end', message: 'broken' }]],
  ['note', 'bus.emit', [OWN, 'channel', [1]]],
  ['note', 'logs.printed', [OWN, 'stdout', 'text']],
  ['note', 'env.set', ['NAME', 'value']],
  ['call', 'session.append_entry', [OWN, 'kind', { a: 1 }]],
  ['call', 'session.set_label', [OWN, 'id', null]],
  ['call', 'session.send_message', [OWN, { customType: 'x', content: 'y' }, {}]],
  ['call', 'session.switch', [OWN, '/file']],
  ['call', 'agent.set_tools', [OWN, ['read']]],
  ['call', 'register.command', [OWN, { name: 'go' }]],
  ['call', 'register.tool', [OWN, { name: 'tool', description: '', parameters: {} }]],
  ['call', 'models.auth', [OWN, 'openai', null]],
  ['note', 'lifecycle.ready', [1]],
  ['note', 'state.wanted', ['session']],
];

/** Sound, or with one argument that is not; foreign speakers and keys of prototypes among them. */
const nearlySound = fc
  .tuple(fc.constantFrom(...SOUND), fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: -3, max: 3 }), value, trap)
  .map(([[kind, name, sound], number, at, evil, key]) => {
    const given = sound.map((one, place) => {
      if (place !== at) return toJson(pairsOf(one));
      return typeof one === 'object' ? `{${JSON.stringify(key)}:${toJson(evil)},${toJson(pairsOf(one)).slice(1)}` : toJson(evil);
    });
    return `{"type":"${kind}","id":${number},"method":"${name}","args":[${given.join(',')}]}`;
  });

/** A plain value in the form {@link toJson} writes. */
function pairsOf(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(pairsOf);
  if (typeof given !== 'object' || given === null) return given;
  return { pairs: Object.entries(given).map(([key, member]) => [key, pairsOf(member)]) };
}

/** A line as a hostile process may write it: sound in most parts, and wrong in any. */
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(type, id, method, args, value, fc.boolean())
      .map(
        ([kind, number, name, given, answer, evil]) =>
          `{"type":${JSON.stringify(kind)},"id":${JSON.stringify(number)},"method":${JSON.stringify(name)},"args":${given},` +
          `"value":${toJson(answer)},"error":${evil ? toJson(answer) : '{"code":"X","message":"no","data":{"__proto__":{"evil":1}}}'}` +
          `${evil ? ',"__proto__":{"evil":1}' : ''}}`,
      ),
  },
  { weight: 6, arbitrary: nearlySound },
  { weight: 1, arbitrary: value.map(toJson) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);
const batch = fc.array(line, { minLength: BATCH, maxLength: BATCH });

/** What was let through to an implementation. */
interface Heard {
  method: string;
  args: unknown;
}

/** Every member of a contract, which only notes what it is given. */
function recorder(contract: object, heard: Heard[]): never {
  const members = Object.keys(contract).map((name) => [
    name,
    (given: unknown) => {
      heard.push({ method: name, args: given });
      return null;
    },
  ]);
  return Object.fromEntries(members) as never;
}

const record = (name: string, level: 'trusted' | 'restricted'): ExtensionRecord => {
  const sourceInfo = { path: `/${name}.ts`, source: 'local', scope: 'user', origin: 'top-level' } as const;
  const grants = new Grants(['ui', 'tools'], { cwd: '/work', ext: '/ext', data: '/data' } as never, '/home');
  const one = new ExtensionRecord({ name, path: `/${name}.ts`, level, sourceInfo, ...(level === 'restricted' && { grants }) });
  one.state = 'ready';
  return one;
};

/** The core's end of a worker's channel, with everything real but what the program does. */
function bridge(level: 'trusted' | 'restricted') {
  const heard: Heard[] = [];
  const sent: string[] = [];
  let refused = 0;
  const records = [record(OWN, level), record(FOREIGN, 'trusted')];
  const gate = new CapabilityGate({
    recordOf: (name) => records.find((one) => one.name === name),
    isBuiltInTool: (name) => name === 'read',
    onDenied: () => undefined,
  });
  const options: WorkerBridgeOptions = {
    send: (lines) => void sent.push(lines),
    sendSync: (answer) => void sent.push(answer),
    core: recorder(coreForWorkerContract, heard),
    atOnce: recorder(coreSyncContract, heard),
    owns: (name) => name === OWN,
    gate,
    ...(level === 'restricted' && { speaker: OWN }),
    onSubscribed: (extension, event) => heard.push({ method: 'hooks.subscribed', args: [extension, event] }),
    onRefused: () => {
      refused += 1;
    },
  };
  return { heard, sent, refused: () => refused, bridge: new WorkerBridge(options) };
}

/** Who speaks in what was let through: only the owner of the channel, or nobody. */
function speakers(heard: readonly Heard[]): Set<unknown> {
  return new Set(
    heard
      .filter(({ method: name }) => name !== 'env.set')
      .map(({ method: name, args: given }) => {
        const [first] = given as unknown[];
        return name === 'hooks.failed' ? (first as { extension: string }).extension || null : first;
      }),
  );
}

function hasOwnProto(given: unknown): boolean {
  const open = [given];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    if (Object.hasOwn(node, '__proto__')) return true;
    if (![Object.prototype, Array.prototype].includes(Object.getPrototypeOf(node))) return true;
    open.push(...Object.values(node));
  }
  return false;
}

const INTRINSICS = [Object, Array, Function, String, Number, Promise, Map, Error].map((one) => one.prototype as object);
const shapeOf = (): string => INTRINSICS.map((one) => Reflect.ownKeys(one).map(String).join()).join('\n');
const untouched = shapeOf();

function assertUntouched(): void {
  expect(({} as { evil?: unknown }).evil).toBeUndefined();
  expect(shapeOf()).toBe(untouched);
}

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;
function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

const check = (use: (lines: string[]) => void, batches = BATCHES): void =>
  fc.assert(fc.property(batch, use), { seed: SEED, numRuns: batches, endOnFailure: true });

describe(`the gate, with seed ${SEED}`, { timeout: 300_000 }, () => {
  it.each(['trusted', 'restricted'] as const)(
    'refuses what a worker of %s extensions may not say, in thirty thousand messages, and goes on',
    async (level) => {
      const { bridge: channel, heard, sent, refused } = bridge(level);
      let count = 0;
      let passed = 0;
      let half = 0;
      check((lines) => {
        // What is written to a pipe is read in pieces.
        const reader = new FrameReader({
          maxBytes: () => 8 << 20,
          onFrame: ({ body }) => channel.receive(body.toString('utf8')),
          onTooLarge: () => undefined,
        });
        const bytes = encodeFrame(FRAME_KINDS.messages, 1, lines.join('\n'));
        for (let at = 0; at < bytes.length; at += 4_096) reader.push(bytes.subarray(at, at + 4_096));
        count += lines.length;
        expect(heard.filter(({ args: given }) => hasOwnProto(given))).toEqual([]);
        for (const speaker of speakers(heard)) expect([OWN, null]).toContain(speaker);
        passed += heard.length;
        heard.length = 0;
        sent.length = 0;
        assertUntouched();
        if (count === (BATCH * BATCHES) / 2) half = heapMb();
      });
      expect(count).toBe(BATCH * BATCHES);
      expect(refused()).toBeGreaterThan(count / 4);
      // Some of it is sound: else nothing was tried.
      expect(passed).toBeGreaterThan(level === 'trusted' ? 2_000 : 200);
      expect(channel.pendingCalls).toBe(0);
      expect(heapMb()).toBeLessThan(half + 20);
      // And a sound message is still heard.
      channel.receive(JSON.stringify({ type: 'note', method: 'ui.notice', args: [OWN, { method: 'notify', message: 'fine' }] }));
      expect(heard).toMatchObject([{ method: 'ui.notice' }]);
    },
  );

  it('answers each call for which a thread waits exactly once, whatever is wrong with it', () => {
    const { bridge: channel, heard, sent } = bridge('trusted');
    let calls = 0;
    check((lines) => {
      for (const one of lines) {
        const before = sent.length;
        channel.receiveSync(one);
        const answered = sent.length - before;
        expect(answered).toBeLessThanOrEqual(1);
        calls += answered;
        if (answered === 1) expect(['result', 'error']).toContain(JSON.parse(sent.at(-1) ?? '').type);
      }
      for (const speaker of speakers(heard)) expect(speaker).toBe(OWN);
      expect(heard.filter(({ args: given }) => hasOwnProto(given))).toEqual([]);
      heard.length = 0;
      sent.length = 0;
      assertUntouched();
    });
    expect(calls).toBeGreaterThan(1_000);
  });

  it('settles each call of its own once, whatever answers come, early, twice, or after the end', async () => {
    const lines: string[] = [];
    const heard: Heard[] = [];
    const peer = new Peer({
      local: coreForSupervisorContract,
      remote: supervisorContract,
      implementation: recorder(coreForSupervisorContract, heard),
      send: (text) => void lines.push(text),
      onRefused: () => undefined,
    });
    let settled = 0;
    let asked = 0;
    check((hostile) => {
      for (let at = 0; at < 3; at++) {
        asked += 1;
        const call = peer.call('lifecycle.unload', [1], { deadlineMs: 600_000 });
        const count = (): void => {
          settled += 1;
        };
        call.then(count, count);
      }
      peer.receive(hostile.join('\n'));
      lines.length = 0;
      expect(heard.filter(({ args: given }) => hasOwnProto(given))).toEqual([]);
      heard.length = 0;
      assertUntouched();
    }, 100);
    peer.close(new CodedError('HOST_EXITED', 'gone'));
    await new Promise(setImmediate);
    expect(peer.pendingCalls).toBe(0);
    expect(settled).toBe(asked);
    // After the end nothing is taken and nothing sent.
    peer.receive(JSON.stringify({ type: 'note', method: 'lifecycle.ready', args: [1] }));
    expect([heard, lines]).toEqual([[], []]);
  });

  it('takes from a worker only plain answers to what was asked', () => {
    let delivered = 0;
    const endpoint = new GatedEndpoint(() => undefined);
    endpoint.addEventListener('message', () => {
      delivered += 1;
    });
    check((lines) => {
      for (const one of lines) {
        let message: unknown = one;
        try {
          message = JSON.parse(one);
        } catch {
          // Ports carry any value: the text itself is one.
        }
        endpoint.deliver(message);
      }
      assertUntouched();
    }, 100);
    expect(delivered).toBe(0);
  });

  it('cuts any bytes into frames without throwing, and keeps no more than one frame', () => {
    const bytes = fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { maxLength: 50 });
    fc.assert(
      fc.property(bytes, (chunks) => {
        let longest = 0;
        const reader = new FrameReader({
          maxBytes: () => 1_024,
          onFrame: ({ body }) => {
            longest = Math.max(longest, body.length);
          },
          onTooLarge: () => undefined,
        });
        for (const chunk of chunks) reader.push(Buffer.from(chunk));
        expect(longest).toBeLessThanOrEqual(1_024);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });
});
