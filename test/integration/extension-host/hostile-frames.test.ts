import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TestHost } from './support.js';

let running: TestHost | undefined;
let folder: string | undefined;

afterEach(async () => {
  await running?.dispose();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** A host process that is hostile itself: it answers `load` as a host would, then writes what `body` says straight into the pipe. */
async function hostileHost(body: string): Promise<TestHost> {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pi-hostile-'));
  const entry = path.join(folder, 'host.mjs');
  writeFileSync(
    entry,
    `import { Socket } from 'node:net';
     const input = new Socket({ fd: 3 }), output = new Socket({ fd: 4 });
     const frame = (channel, text, kind = 1) => {
       const bytes = Buffer.from(text), header = Buffer.alloc(8);
       header.writeUInt32BE(bytes.length, 0); header[4] = kind; header.writeUInt16BE(channel, 6);
       output.write(Buffer.concat([header, bytes]));
     };
     const say = (channel, message) => frame(channel, JSON.stringify(message));
     const note = (channel, method, args) => say(channel, { type: 'note', method, args });
     input.on('data', (chunk) => {
       for (let at = 0; at < chunk.length; at += 8 + chunk.readUInt32BE(at)) {
         for (const line of chunk.subarray(at + 8, at + 8 + chunk.readUInt32BE(at)).toString().split('\\n')) {
           const message = JSON.parse(line);
           if (message.method === 'lifecycle.beat') say(0, { type: 'result', id: message.id, value: { rssBytes: 1 } });
           else if (message.method === 'lifecycle.stop') process.exit();
           else if (message.method === 'lifecycle.load') { loadId = message.id; sync({ type: 'call', id: 1, method: 'register.all', args: ['a', { events: [], tools: [tool], commands: [], flags: [], providers: [] }] }); }
           else if (chunk[at + 4] === 3) { if (!attacked) { attacked = true; attack(loadId); } }
           else if (message.type === 'call') answer(chunk.readUInt16BE(at + 6), message);
         }
       }
     });
     input.on('end', () => process.exit());
     let answer = () => {}, loadId = 0, attacked = false;
     const sync = (message) => frame(1, JSON.stringify(message), 3);
     const loaded = (id) => say(0, { type: 'result', id, value: [{ extension: 'a', durationMs: 1 }] });
     const tool = { name: 'tool', description: '', parameters: {} };
     function attack(loadId) { ${body}
       note(1, 'logs.printed', ['a', 'stdout', 'still heard\\n']); loaded(loadId); }
     note(0, 'lifecycle.ready', [1]);`,
  );
  running = new TestHost({ entry, extensions: { a: '' } });
  await running.load();
  await running.until(() => running?.log.some(({ message }) => message === 'still heard') ?? false);
  return running;
}

const refusals = (host: TestHost): string[] =>
  host.log.map(({ message }) => message).filter((message) => message.startsWith('refused'));

describe('a hostile host process', () => {
  it.each<[string, string, RegExp]>([
    ['bytes that are no JSON', `frame(1, 'nonsense');`, /not JSON/],
    ['an unknown method', `note(1, 'tools.unknown', []);`, /No note "tools\.unknown"/],
    ['an inherited name', `note(1, 'constructor', ['return process']);`, /No note "constructor"/],
    ['__proto__ as a method', `note(1, '__proto__', [{ a: 1 }]);`, /No note "__proto__"/],
    ['wrong types', `note(1, 'hooks.subscribed', ['a', 7, true]);`, /hooks\.subscribed\[1\]/],
    ['what speaks for somebody else', `note(1, 'hooks.subscribed', ['b', 'turn_end', true]);`, /There is no extension b/],
    ['a name that is too long', `note(1, 'hooks.subscribed', ['a', 'x'.repeat(201), true]);`, /hooks\.subscribed\[1\]/],
    [
      'what only the supervisor may say, on a worker',
      `note(1, 'lifecycle.worker_ended', [{ worker: 1, reason: 'exit', message: '' }]);`,
      /No note/,
    ],
    ['a channel that is nobody', `note(77, 'logs.printed', [null, 'stdout', 'x']);`, /channel 77/],
    ['an unknown kind of frame', `frame(1, '{}', 9);`, /kind 9/],
    ['a frame of 20 MB', `frame(1, 'x'.repeat(20e6));`, /A frame of 20000000 bytes/],
  ])('is refused %s, and the next message is heard', async (_what, body, refusal) => {
    const host = await hostileHost(body);
    expect(refusals(host)).toEqual([expect.stringMatching(refusal)]);
    expect(host.toolNames).toEqual(['tool']);
    expect(host.record('a').state).toBe('ready');
  });

  it('gets nothing in through `__proto__`', async () => {
    const host = await hostileHost(
      `frame(1, '{"type":"call","id":2,"method":"register.tool","args":["a",{"name":"t","description":"","parameters":{"__proto__":{"evil":1},"a":1},"__proto__":{"evil":1}}]}', 3);`,
    );
    const definition = host.record('a').tools.get('t');
    expect(JSON.stringify(definition)).toBe('{"name":"t","description":"","parameters":{"a":1}}');
    expect(Object.getPrototypeOf(definition)).toBe(Object.prototype);
    expect(({} as { evil?: unknown }).evil).toBeUndefined();
  });

  it('can not register tools without end', async () => {
    const host = await hostileHost(
      `for (let i = 0; i < 300; i++) sync({ type: 'call', id: i + 2, method: 'register.tool', args: ['a', { ...tool, name: 'tool' + i }] });`,
    );
    expect(host.record('a').tools.size).toBe(256);
  });

  it('that answers a call with nonsense fails that call only', async () => {
    const host = await hostileHost(
      `let calls = 0;
       answer = (channel, { id }) => say(channel, { type: 'result', id, value: calls++ ? { content: [] } : { content: [{ type: 'video' }] } });`,
    );
    await expect(host.run('tool')).rejects.toMatchObject({ code: 'BOUNDARY_BAD_MESSAGE' });
    await expect(host.run('tool')).resolves.toEqual({ content: [] });
  });

  it('may answer twice, or what nobody asked', async () => {
    const host = await hostileHost(
      `for (let id = 1; id < 50; id++) say(1, { type: 'result', id, value: 'early' });
       answer = (channel, { id }) => { for (let n = 0; n < 3; n++) say(channel, { type: 'result', id, value: { content: [] } }); };`,
    );
    await expect(host.run('tool')).resolves.toEqual({ content: [] });
    await expect(host.run('tool')).resolves.toEqual({ content: [] });
  });
});
