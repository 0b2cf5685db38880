import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { TestHost } from '../../test/integration/extension-host/support.js';
import { cpuMs, fixed, inWords, memoryMb, row, spread, threads } from './figures.js';

const [folder = '', runsArgument = '15'] = process.argv.slice(2);
const RUNS = Number(runsArgument);
const EXTENSIONS = 10;
const HOOKS = 4_000;
const EVENTS = 20_000;
const EVENTS_PER_TICK = 20;

/** Ten like this one are what "with 10 extensions" means below: a hook, a listener, a command's worth of code, a tool. */
const source = (index: number): string => `
  let events = 0;
  export default (pi) => {
    pi.on('message_update', (event) => { events += event.assistantMessageEvent.delta.length; });
    ${
      index === 0
        ? `pi.on('tool_call', (event, ctx) => {
      if (event.input.read) {
        const startedAt = performance.now();
        ctx.sessionManager.getEntries();
        event.input.us = (performance.now() - startedAt) * 1000;
      } else event.input.seen = true;
    });`
        : ''
    }
    pi.registerTool({ name: 'tool-${index}', description: 'A tool', parameters: { type: 'object', properties: { a: { type: 'string' } } },
      execute: async (id, params) => {
        if (params.exit) process.exit(1);
        return { content: [{ type: 'text', text: String(events) }] };
      } });
  };`;

const extensions = Object.fromEntries(Array.from({ length: EXTENSIONS }, (_, index) => [`extension-${index}`, source(index)]));
const files = Object.entries(extensions).map(([name, text]) => {
  const file = path.join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return file;
});

const entries = Array.from({ length: 200 }, (_, id) => JSON.stringify({ type: 'message', id, text: 'x'.repeat(200) }));

/** A host with the first `count` extensions, which are not loaded yet. */
function createHost(count = EXTENSIONS): TestHost {
  return new TestHost({
    entry: `${folder}/host.js`,
    entries,
    extensions: Object.fromEntries(Object.entries(extensions).slice(0, count)),
  });
}

async function startAlone(count: number): Promise<void> {
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const host = createHost(count);
    const startedAt = performance.now();
    await host.load();
    walls.push(performance.now() - startedAt);
    cpus.push(cpuMs(host.pid ?? 0));
    await host.dispose();
  }
  row(`start of the host to ${count} extension(s) loaded, alone: wall ms, min / median / p95`, inWords(spread(walls)));
  row(`the same: CPU ms of the host, min / mean`, `${Math.min(...cpus)} / ${fixed(cpus.reduce((a, b) => a + b) / cpus.length)}`);
}

async function startBesideCore(): Promise<void> {
  const figures = new Map<string, { walls: number[]; cpus: number[] }>();
  // Interleaved, so that a busy minute of the machine falls on all.
  for (let run = 0; run < RUNS; run++) {
    for (const mode of ['none', 'parallel', 'serial']) {
      const { walls, cpus } = figures.get(mode) ?? { walls: [], cpus: [] };
      figures.set(mode, { walls, cpus });
      const startedAt = performance.now();
      const child = spawn(process.execPath, [`${folder}/start-core.mjs`, mode, folder, ...files], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      walls.push(performance.now() - startedAt);
      const hostPid = childOf(child.pid ?? 0);
      cpus.push(cpuMs(child.pid ?? 0) + (hostPid > 0 ? cpuMs(hostPid) : 0));
      child.stdin.end();
      await once(child, 'exit');
    }
  }
  const words = { none: 'no host', parallel: 'host in parallel, 10 extensions', serial: 'host after the work, 10 extensions' };
  for (const [mode, name] of Object.entries(words)) {
    const { walls = [], cpus = [] } = figures.get(mode) ?? {};
    row(`core with 60 ms of work, ${name}: wall ms, min / median / p95`, inWords(spread(walls)));
    row(
      `the same: CPU ms of all processes, min / mean`,
      `${Math.min(...cpus)} / ${fixed(cpus.reduce((a, b) => a + b, 0) / cpus.length)}`,
    );
  }
}

/** What Node alone takes: nothing of ours can be below. */
async function floors(): Promise<void> {
  const worker = `new (require('node:worker_threads').Worker)('setInterval(() => {}, 1e3)', { eval: true });`;
  for (const [name, code] of [
    ['an empty process', ''],
    ['an empty process with an empty worker', worker],
  ] as const) {
    const child = spawn(process.execPath, ['--max-semi-space-size=1', '-e', `${code} setInterval(() => {}, 1e3);`]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const memory = memoryMb(child.pid ?? 0);
    row(`memory of ${name}: RSS / PSS MB`, `${fixed(memory.rss)} / ${fixed(memory.pss)}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

const AGENTS = 8;

async function manyAgents(): Promise<void> {
  const startedAt = performance.now();
  const children = Array.from({ length: AGENTS }, () =>
    spawn(process.execPath, [`${folder}/start-core.mjs`, 'parallel', folder, ...files], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(children.map((child) => once(child.stdout, 'data')));
  const wall = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const pids = children.flatMap(({ pid = 0 }) => [pid, childOf(pid)]);
  const memory = pids.map(memoryMb).reduce((sum, each) => ({ rss: sum.rss + each.rss, pss: sum.pss + each.pss }));
  row(
    `${AGENTS} such cores with hosts at once: all ready ms; RSS / PSS MB in all`,
    `${fixed(wall, 0)}; ${fixed(memory.rss, 0)} / ${fixed(memory.pss, 0)}`,
  );
  await Promise.all(
    children.map((child) => {
      child.stdin.end();
      return once(child, 'exit');
    }),
  );
}

/** The one child of a process; 0 when it has none. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim() || '0');
}

async function whileRunning(): Promise<void> {
  const host = await createHost().load();
  const pid = (): number => host.pid ?? 0;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const idle = memoryMb(pid());
  row('memory of host and worker, idle, 10 extensions: RSS / PSS MB', `${fixed(idle.rss)} / ${fixed(idle.pss)}`);
  row(
    'memory of the measuring core beside it: RSS / PSS MB',
    `${fixed(memoryMb(process.pid).rss)} / ${fixed(memoryMb(process.pid).pss)}`,
  );
  row('threads of the host process', String(threads(pid())));

  const hooks: number[] = [];
  for (let call = 0; call < HOOKS; call++) {
    const startedAt = performance.now();
    await host.gate({ path: '/some/file.txt', offset: call });
    if (call >= HOOKS / 4) hooks.push(performance.now() - startedAt);
  }
  row('hook round trip, input changed in place: ms, min / median / p95', inWords(spread(hooks), 3));

  const changed: number[] = [];
  const unchanged: number[] = [];
  for (let call = 0; call < HOOKS; call++) {
    const isChange = call % 2 === 0;
    if (isChange) host.extensions.entryAppended(JSON.stringify({ type: 'message', id: call, text: 'x'.repeat(200) }));
    const { input } = await host.gate({ read: true });
    if (call >= HOOKS / 4) (isChange ? changed : unchanged).push(microseconds(input));
  }
  row('synchronous read, one entry is new: us, min / median / p95', inWords(spread(changed)));
  row('synchronous read, nothing is new: us, min / median / p95', inWords(spread(unchanged)));

  const costs: number[] = [];
  const coreCosts: number[] = [];
  for (let round = 0; round < 6; round++) {
    const coreBefore = process.cpuUsage();
    const hostBefore = cpuMs(pid());
    for (let event = 0; event < EVENTS; event++) {
      host.extensions.emit({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'abcd' },
      });
      if (event % EVENTS_PER_TICK === 0) await new Promise(setImmediate);
    }
    await host.gate({});
    const core = process.cpuUsage(coreBefore);
    const coreMs = (core.user + core.system) / 1_000;
    if (round === 0) continue;
    coreCosts.push((coreMs * 1_000) / EVENTS);
    costs.push(((coreMs + cpuMs(pid()) - hostBefore) * 1_000) / EVENTS);
  }
  row(
    `event to 10 listeners, ${EVENTS_PER_TICK} events a tick: CPU us per event in the core, min / median`,
    `${fixed(spread(coreCosts).min, 2)} / ${fixed(spread(coreCosts).median, 2)}`,
  );
  row('the same, all processes and threads', `${fixed(spread(costs).min, 2)} / ${fixed(spread(costs).median, 2)}`);
  const after = memoryMb(pid());
  row('memory of host and worker after all that: RSS / PSS MB', `${fixed(after.rss)} / ${fixed(after.pss)}`);

  await host.dispose();
}

/** From the end of the host process, or of its worker, to the answer of a tool; the first wait of the back-off is in it. */
async function restarts(): Promise<void> {
  for (const [name, end] of [
    ['SIGKILL of the host', (host: TestHost) => void process.kill(host.pid ?? 0, 'SIGKILL')],
    ['process.exit in an extension', (host: TestHost) => void host.run('tool-0', { exit: true }).catch(() => undefined)],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const host = await createHost().load();
      const { restarts } = host.record('extension-5');
      const startedAt = performance.now();
      end(host);
      await host.until(() => host.record('extension-5').restarts > restarts && host.record('extension-5').state === 'ready');
      times.push(performance.now() - startedAt);
      await host.dispose();
    }
    row(`${name} to 10 extensions loaded again, with 200 ms of back-off: ms, min / median / p95`, inWords(spread(times)));
  }
}

/** What the hook wrote into its input. */
const microseconds = (input: unknown): number =>
  typeof input === 'object' && input !== null && 'us' in input ? Number(input.us) : Number.NaN;

process.stdout.write(
  `\nNode ${process.versions.node}, ${os.cpus().length} CPUs, load ${os
    .loadavg()
    .map((load) => fixed(load))
    .join(' ')}\n\n`,
);
row('measure', 'figure');
row('---', '---:');
await floors();
await startAlone(1);
await startAlone(EXTENSIONS);
await startBesideCore();
await whileRunning();
await restarts();
await manyAgents();
process.stdout.write(
  `load at the end ${os
    .loadavg()
    .map((load) => fixed(load))
    .join(' ')}\n`,
);
