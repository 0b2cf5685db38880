import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PiProcess } from '../../support/pi-process.js';
import { createWorld, processesOf, until, type World } from './sub-agents-support.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.remove());

/** Two sub-agents, each of which runs a command that does not end. Gives the session when both commands run. */
async function busySession(): Promise<PiProcess> {
  const pi = world.start();
  const tasks = ['7001', '7002'].map((seconds) => ({ agent: 'helper', task: `run "sleep ${seconds}"` }));
  world.llm.push({ toolCalls: [{ name: 'subagent', args: { tasks } }] });
  await pi.request({ type: 'prompt', message: 'go' });
  await until(() => [...processesOf(world.sandbox).values()].filter((line) => /^sleep 700/.test(line)).length === 2);
  return pi;
}

/** Those of the children: their programs, their hosts, their commands. */
const leftOf = (pi: PiProcess): string[] => [...processesOf(world.sandbox, pi.child.pid).values()];

describe.skipIf(!fs.existsSync('/proc'))('everything a sub-agent runs', { timeout: 60_000 }, () => {
  it('is gone when the run is aborted', async () => {
    const pi = await busySession();
    await pi.request({ type: 'abort' });
    await until(() => leftOf(pi).every((line) => !/--mode|sleep/.test(line)));
    await pi.end();
  });

  it('is gone when the session is reloaded', async () => {
    const pi = await busySession();
    pi.send({ id: 'again', type: 'reload' });
    await until(() => leftOf(pi).every((line) => !/--mode|sleep/.test(line)));
    await pi.end();
  });

  it('is gone after kill -9 of the program', async () => {
    const pi = await busySession();
    pi.kill('SIGKILL');
    await pi.exited;
    await until(() => processesOf(world.sandbox).size === 0);
    expect(processesOf(world.sandbox)).toEqual(new Map());
  });

  it('is gone after kill -9 of the extension host', async () => {
    const pi = await busySession();
    process.kill(hostOf(pi), 'SIGKILL');
    await until(() => leftOf(pi).every((line) => !/--mode|sleep/.test(line)));
    await pi.end();
  });
});

function hostOf(pi: PiProcess): number {
  const isHost = ([pid, line]: [number, string]): boolean =>
    line.includes('extension-host/host.js') && parentOf(pid) === pi.child.pid;
  const [pid] = [...processesOf(world.sandbox)].find(isHost) ?? [];
  if (pid === undefined) throw new Error('The session has no extension host');
  return pid;
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
