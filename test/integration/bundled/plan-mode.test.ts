import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, PiProcess } from '../../support/pi-process.js';
import { BundledWorld, textOf } from './support.js';

let world: BundledWorld;
beforeEach(async () => {
  world = await BundledWorld.create(['plan-mode'], { 'a.txt': 'a\n' });
});
afterEach(() => world.remove());

const activeTools = async (pi: PiProcess): Promise<string[]> =>
  (await pi.request({ type: 'get_tools' })).data.tools.filter(({ active }: Json) => active).map(({ name }: Json) => name);
const settled = (pi: PiProcess, from: number): Promise<Json> => pi.find(({ type }) => type === 'agent_settled', from);

describe('plan mode', { timeout: 60_000 }, () => {
  it('offers only tools that read, says so to the model, and refuses the others', async () => {
    const pi = world.start('--no-session', '--plan');
    expect((await activeTools(pi)).sort()).toEqual(['find', 'grep', 'ls', 'read']);
    const end = world.call(pi, 'bash', { command: 'touch made.txt' });
    await world.answer(pi, 'Stay in plan mode', 0);
    expect(textOf(await end)).toMatch(/Plan mode|not found|no tool/i);
    expect(fs.existsSync(path.join(world.sandbox.cwd, 'made.txt'))).toBe(false);
    expect(world.llm.requests[0]?.raw).toContain('You are in plan mode');
    expect(pi.records.find(({ method }) => method === 'setStatus')).toMatchObject({ statusText: 'plan mode' });
  });

  it('carries an approved plan out with the tools there were', async () => {
    const pi = world.start('--no-session');
    const before = await activeTools(pi);
    expect(await world.says(pi, '/plan')).toContain('nothing is changed');
    world.llm.push(
      { text: '1. Make made.txt.' },
      { toolCalls: [{ id: 'w', name: 'write', args: { path: 'made.txt', content: 'x' } }] },
      { text: 'Made.' },
    );
    await pi.prompt('make a file');
    const from = pi.records.length;
    await world.answer(pi, 'Carry it out', 0);
    await settled(pi, from);
    expect(fs.existsSync(path.join(world.sandbox.cwd, 'made.txt'))).toBe(true);
    expect(world.llm.requests[1]?.raw).toContain('Carry out the plan.');
    expect(world.llm.requests[1]?.raw).not.toContain('You are in plan mode');
    expect(await activeTools(pi)).toEqual(before);
  });

  it('takes what should be different to the model, and stays on', async () => {
    const pi = world.start('--no-session', '--plan');
    world.llm.push({ text: 'A plan.' }, { text: 'A better plan.' });
    await pi.prompt('plan it');
    const from = pi.records.indexOf(await world.answer(pi, 'Refine it', 0)) + 1;
    await world.answer(pi, 'Smaller steps', from);
    await settled(pi, from);
    expect(world.llm.requests[1]?.raw).toContain('Smaller steps');
    expect((await activeTools(pi)).includes('bash')).toBe(false);
  });

  it('is still on after a restart, and off when it was turned off', async () => {
    const session = path.join(world.sandbox.cwd, 'session.jsonl');
    const first = world.start('--session', session);
    world.llm.push({ text: 'Hello.' }, { text: 'A plan.' });
    await first.prompt('hello');
    await world.says(first, '/plan on');
    await first.end();
    const second = world.start('--session', session);
    expect((await activeTools(second)).includes('bash')).toBe(false);
    expect(await world.says(second, '/plan off')).toBe('Plan mode is off');
    expect((await activeTools(second)).includes('bash')).toBe(true);
    await second.end();
    const third = world.start('--session', session);
    expect((await activeTools(third)).includes('bash')).toBe(true);
  });
});
