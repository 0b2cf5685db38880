import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, PiProcess, type Sandbox } from '../../support/pi-process.js';

const TIMES = 200;
const SETTLED_AFTER = 20;

const FILES = {
  'ext/package.json': JSON.stringify({ name: 'renewed', pi: { extensions: ['./index.ts'] } }),
  'ext/node_modules/dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
  'ext/node_modules/dep/index.js': "module.exports = { text: 'x'.repeat(100_000) };",
  'ext/helper.mjs': 'export const data = Array.from({ length: 20_000 }, (_, i) => ({ i }));',
  'ext/index.ts': `
import dep from 'dep';
import { Type } from 'typebox';
import { data } from './helper.mjs';
export default function (pi: any) {
  setInterval(() => data.length, 20);
  setTimeout(() => data.length, 3_600_000);
  process.on('SIGUSR2', () => data.length);
  pi.events.on('anything', () => data.length);
  pi.on('session_start', (_event: any, ctx: any) => void ctx.sessionManager.getEntries());
  pi.registerTool({ name: 'leaky', description: dep.text.slice(0, 9), parameters: Type.Object({}), execute: async () => ({ content: [] }) });
  pi.registerCommand('timers', { handler: (_args: string, ctx: any) => {
    const listeners = process.listenerCount('SIGUSR2');
    ctx.ui.notify('left: ' + JSON.stringify({ listeners, handles: (process as any).getActiveResourcesInfo().filter((one: string) => one === 'Timeout').length }));
  } });
}`,
};

interface Use {
  rssMb: number;
  threads: number;
  descriptors: number;
}

let sandbox: Sandbox;
let pi: PiProcess;

beforeAll(() => {
  sandbox = createSandbox({ files: FILES });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '-e', 'ext']);
});
afterAll(async () => {
  expect(await pi.end()).toEqual({ code: 0, signal: null });
  sandbox.remove();
});

/** Of the program and its extension host together. */
async function use(): Promise<Use> {
  const { data } = await pi.request({ type: 'get_extensions' });
  const hosts = new Set<number>(data.extensions.map((extension: { pid: number }) => extension.pid));
  const sum: Use = { rssMb: 0, threads: 0, descriptors: 0 };
  for (const pid of [Number(pi.child.pid), ...hosts]) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    sum.rssMb += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    sum.threads += Number(/Threads:\s+(\d+)/.exec(status)?.[1]);
    sum.descriptors += readdirSync(`/proc/${pid}/fd`).length;
  }
  return sum;
}

describe.skipIf(process.platform !== 'linux')('fresh instances', () => {
  it.each(['new_session', 'reload'])(
    `%s, ${TIMES} times: threads, descriptors, timers and listeners come back, and memory stays`,
    async (type) => {
      let settled: Use | undefined;
      for (let time = 1; time <= TIMES; time++) {
        expect(await pi.request({ type })).toMatchObject({ success: true });
        if (time === SETTLED_AFTER) settled = await use();
      }
      const after = await use();
      expect({ threads: after.threads, descriptors: after.descriptors }).toEqual({
        threads: settled?.threads,
        descriptors: settled?.descriptors,
      });
      expect(after.rssMb).toBeLessThan((settled?.rssMb ?? 0) * 1.1);
      const from = pi.records.length;
      await pi.request({ type: 'prompt', message: '/timers' });
      const notice = await pi.find((record) => record.method === 'notify', from);
      const left = JSON.parse(String(notice.message).replace('left: ', ''));
      expect(left.listeners).toBe(1);
      // Its own two, and those of the worker that watch over it.
      expect(left.handles).toBeLessThan(8);
    },
    60_000,
  );
});
