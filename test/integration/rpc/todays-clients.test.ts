import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, PiProcess, type Sandbox } from '../../support/pi-process.js';

let sandbox: Sandbox;
let pi: PiProcess;

beforeEach(() => {
  sandbox = createSandbox({ files: { 'notes.txt': 'alpha\nbeta\n' } });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline']);
});
afterEach(async () => {
  await pi.end();
  sandbox.remove();
});

describe('what clients of today read beyond the seed', () => {
  it('G39: says where a message went', async () => {
    pi.send({ id: 'p', type: 'prompt', message: 'run "sleep 0.2"' });
    pi.send({ id: 's', type: 'steer', message: 'read notes.txt' });
    pi.send({ id: 'f', type: 'follow_up', message: 'read notes.txt' });
    const dispositionOf = async (id: string): Promise<unknown> =>
      (await pi.find((record) => record.type === 'response' && record.id === id)).data;
    expect(await dispositionOf('p')).toEqual({ disposition: 'started' });
    expect(await dispositionOf('s')).toEqual({ disposition: 'queued' });
    expect(await dispositionOf('f')).toEqual({ disposition: 'queued' });
    await pi.find((record) => record.type === 'agent_settled');
  });

  it('G39: clear_queue gives back what was queued', async () => {
    await pi.request({ type: 'steer', message: 's' });
    await pi.request({ type: 'follow_up', message: 'f' });
    expect(await pi.request({ type: 'clear_queue' })).toMatchObject({
      success: true,
      data: { steering: ['s'], followUp: ['f'] },
    });
    expect((await pi.request({ type: 'get_state' })).data.pendingMessageCount).toBe(0);
    expect(await pi.request({ type: 'clear_queue' })).toMatchObject({ data: { steering: [], followUp: [] } });
  });

  it('G39: names the tool at the start of a call, and how long it took at its end', async () => {
    const events = await pi.prompt('read notes.txt');
    const start = events.find((event) => event.assistantMessageEvent?.type === 'toolcall_start');
    const end = events.find((event) => event.type === 'tool_execution_end');
    expect(start.assistantMessageEvent).toMatchObject({ toolName: 'read', id: end.toolCallId });
    expect(end.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('G39: marks the end of an aborted run, and only that', async () => {
    expect((await pi.prompt('read notes.txt')).at(-1)).toEqual({ type: 'agent_settled' });
    const from = pi.records.length;
    await pi.request({ type: 'prompt', message: 'run "sleep 100"' });
    await pi.find((record) => record.type === 'tool_execution_start', from);
    await pi.request({ type: 'abort' });
    expect(pi.records.slice(from).find((record) => record.type === 'agent_settled')).toEqual({
      type: 'agent_settled',
      aborted: true,
    });
  });

  it('G39: tells of new names, as an entry and as an event, before the response', async () => {
    const from = pi.records.length;
    await pi.request({ type: 'set_session_name', name: ' new name ' });
    expect(pi.records.slice(from)).toMatchObject([
      { type: 'entry_appended', entry: { type: 'session_info', name: 'new name' } },
      { type: 'session_info_changed', name: 'new name' },
      { type: 'response', success: true },
    ]);
  });
});

describe('what answers while something runs', () => {
  it('G8: get_state is answered while a tool and a bash command run', async () => {
    pi.send({ id: 'b', type: 'bash', command: 'sleep 100' });
    await pi.request({ type: 'prompt', message: 'run "sleep 100"' });
    await pi.find((record) => record.type === 'tool_execution_start');
    expect((await pi.request({ type: 'get_state' })).data).toMatchObject({ isStreaming: true });
    expect(pi.records.some((record) => record.type === 'tool_execution_end' || record.id === 'b')).toBe(false);
  });

  it('G2: what children and libraries print does not reach stdout', async () => {
    await pi.prompt('run "echo out; echo err >&2; echo raw > /proc/self/fd/1"');
    expect(pi.badLines).toEqual([]);
  });
});

describe('sequence numbers', () => {
  it('G7: every record has one with --seq, and a client that lost some asks for them', async () => {
    const numbered = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline', '--seq']);
    await numbered.prompt('read notes.txt');
    const seqs = numbered.records.map((record) => record.seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const lost = numbered.records.slice(4);
    const { data } = await numbered.request({ type: 'get_events', since: 4 });
    expect(data.complete).toBe(true);
    expect(data.events.slice(0, lost.length)).toEqual(lost);
    await numbered.end();
  });

  it('G7: no record has one without --seq', async () => {
    await pi.prompt('read notes.txt');
    expect(pi.records.filter((record) => 'seq' in record)).toEqual([]);
  });
});
