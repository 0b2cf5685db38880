import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../support/pi-process.js';
import { createWorld, type World } from './sub-agents-support.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.remove());

describe('the tool subagent', { timeout: 60_000 }, () => {
  it('gives one task to a pi of its own, and its answer to the model', async () => {
    const pi = world.start();
    const end = await world.call(pi, { agent: 'helper', task: 'show notes.md' });
    expect(end).toMatchObject({ isError: false, result: { details: { failed: false, order: 'together' } } });
    expect(end.result.content[0].text).toContain('remember the milk');
    expect(end.result.details.tasks).toMatchObject([
      { agent: 'helper', state: 'done', lastTool: 'read', model: 'offline', turns: 2, task: 'show notes.md' },
    ]);
    await pi.end();
    expect(pi.stderr).toBe('');
  });

  it('does tasks at the same time, and reports how they go', async () => {
    const pi = world.start();
    const tasks = ['show notes.md', 'list the files in src', 'run "echo three"'].map((task) => ({ agent: 'helper', task }));
    const end = await world.call(pi, { tasks });
    const [text] = end.result.content.map((part: Json) => part.text);
    expect(text).toMatch(/## 1\. .*remember the milk[\s\S]*## 2\. .*[\s\S]*one\.ts[\s\S]*## 3\. .*[\s\S]*three/s);
    const updates = pi.records.filter(({ type }) => type === 'tool_execution_update').map(({ partialResult }) => partialResult);
    expect(updates.length).toBeGreaterThan(3);
    expect(updates.some(({ details }) => details.tasks.filter(({ state }: Json) => state === 'running').length > 1)).toBe(true);
    expect(updates.map(({ content }) => content[0].text).join('\n')).toMatch(
      /helper: running, last tool \w+, \d turns, \d+ tokens/,
    );
    await pi.end();
  });

  it('runs no more than four at once', async () => {
    const pi = world.start();
    await world.call(pi, { tasks: Array.from({ length: 6 }, () => ({ agent: 'helper', task: 'show notes.md' })) });
    const running = pi.records
      .filter(({ type }) => type === 'tool_execution_update')
      .map(({ partialResult }) => partialResult.details.tasks.filter(({ state }: Json) => state === 'running').length);
    expect(Math.max(...running)).toBe(4);
    await pi.end();
  });

  it('hands the answer of each step of a chain to the next, and stops at the first that fails', async () => {
    world.agent('broken', { description: 'Has a model that is not there', model: 'nobody/nothing' });
    const pi = world.start();
    const chain = [
      { agent: 'helper', task: 'run "echo $((6 * 7)) bottles"' },
      { agent: 'helper', task: 'create got.txt with "{previous}"' },
      { agent: 'broken', task: 'x' },
      { agent: 'helper', task: 'create never.txt with "x"' },
    ];
    const end = await world.call(pi, { chain });
    expect(fs.readFileSync(path.join(world.sandbox.cwd, 'got.txt'), 'utf8')).toContain('42 bottles');
    expect(fs.existsSync(path.join(world.sandbox.cwd, 'never.txt'))).toBe(false);
    expect(end.isError).toBe(true);
    expect(end.result.details.tasks.map(({ state }: Json) => state)).toEqual(['done', 'done', 'failed', 'waiting']);
    await pi.end();
  });

  it('makes an error of a failure, with the name of the agent and the end of its stderr', async () => {
    world.agent('broken', { description: 'Has a model that is not there', model: 'nobody/nothing' });
    const pi = world.start();
    const end = await world.call(pi, { agent: 'broken', task: 'anything' });
    expect(end.isError).toBe(true);
    expect(end.result.content[0].text).toMatch(/The sub-agent "broken" failed: .*/);
    expect(end.result.content[0].text).toContain('nobody/nothing');
    await pi.end();
  });

  it('says which agents there are when one is asked for that is not, and what to give when that is unclear', async () => {
    const pi = world.start();
    const unknown = await world.call(pi, { agent: 'nobody', task: 'x' });
    expect(unknown).toMatchObject({ isError: true });
    expect(unknown.result.content[0].text).toContain('There is no sub-agent "nobody"; there are: general, helper');
    const both = await world.call(pi, { task: 'x', tasks: [{ task: 'y' }] });
    expect(both.result.content[0].text).toContain('Give one of "task", "tasks" and "chain"');
    await pi.end();
  });

  it('cuts a long answer, and keeps the whole of it in a file', async () => {
    const whole = Array.from({ length: 4_000 }, (_, at) => `line ${at} of äöü`).join('\n');
    const pi = world.start();
    const end = await world.call(pi, { task: 'talk' }, { text: whole });
    const text: string = end.result.content[0].text;
    expect(Buffer.byteLength(text)).toBeLessThan(50 * 1024);
    const file = /The whole answer is in (\S+)\]$/.exec(text)?.[1] ?? '';
    expect(fs.readFileSync(file, 'utf8')).toBe(whole);
    expect(end.result.details.tasks[0]).toMatchObject({ file, answer: whole });
    await pi.end();
  });

  it('adds up what was spent, in the details and for the session', async () => {
    const pi = world.start();
    const end = await world.call(pi, { task: 'talk' }, { text: 'hello', usage: { input: 1_000_000, output: 500_000 } });
    expect(end.result.details.usage).toMatchObject({
      input: 1_000_000,
      output: 500_000,
      cost: { input: 1, output: 1, total: 2 },
    });
    const { data } = await pi.request({ type: 'get_session_stats' });
    expect(data.cost).toBeGreaterThanOrEqual(2);
    await pi.end();
  });

  it('never takes a task for a command of the child', async () => {
    const pi = world.start();
    const end = await world.call(pi, { task: '/agents' }, { text: 'I was asked' });
    expect(end.result.content[0].text).toBe('I was asked');
    expect(JSON.stringify(world.llm.requests[1]?.body)).toContain('Task: /agents');
    await pi.end();
  });
});

describe('/agents', { timeout: 60_000 }, () => {
  it('lists them, those of the project only where it is trusted, and says what is wrong with a file', async () => {
    world.agent('bad', { name: 'bad' });
    const folder = path.join(world.sandbox.cwd, '.pi/agents');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'ours.md'),
      '---\nname: ours\ndescription: Of the project\ntools: [read, ls]\n---\nBe kind.\n',
    );
    for (const trust of ['--approve', '--no-approve', undefined]) {
      const pi = world.start(...(trust ? [trust] : []));
      await pi.request({ type: 'prompt', message: '/agents' });
      const { message } = await pi.find((record) => record.method === 'notify');
      expect(message).toContain('general (built in)');
      expect(message).toContain('helper (user; offline/offline): Does what it can offline');
      expect(message).toContain('bad.md: "description" is missing');
      if (trust === '--approve') expect(message).toContain('ours (project; tools: read, ls): Of the project');
      else expect(message).not.toContain('ours');
      await pi.end();
    }
  });
});
