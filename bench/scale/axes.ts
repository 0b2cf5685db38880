import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Program } from '../macro/program.js';
import { createSandbox, type Sandbox, type SandboxOptions, writeSession } from '../macro/sandbox.js';

/** One thing that grows, and what is measured while it does. */
export interface Axis {
  name: string;
  /** What a size counts. */
  unit: string;
  sizes: readonly number[];
  /** Figures of one size: name -> value, lower is better. */
  measure: (size: number, world: World) => Promise<Record<string, number>>;
}

export interface World {
  command: readonly string[];
  /** The model service. */
  url: string;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function within<T>(
  { command, url }: World,
  options: SandboxOptions,
  use: (program: Program, sandbox: Sandbox) => Promise<T>,
  prepare: (sandbox: Sandbox) => string[] = () => ['--no-session'],
): Promise<T> {
  const sandbox = createSandbox(url, options);
  const args = prepare(sandbox);
  const program = new Program(command, sandbox, args);
  try {
    return await use(program, sandbox);
  } finally {
    await program.close();
    sandbox.remove();
  }
}

const session = (compacted: boolean): Axis['measure'] => {
  return (entries, world) =>
    within(
      world,
      {},
      async (program) => {
        await program.request({ type: 'get_state' });
        const openMs = performance.now() - program.startedAt;
        const { rss } = program.memory();
        await program.prompt('ONE');
        const { ms } = await program.prompt('ONE');
        return { 'open, ms': openMs, 'RSS, MB': rss, 'second prompt, ms': ms };
      },
      (sandbox) => {
        const file = path.join(sandbox.cwd, 'session.jsonl');
        writeSession(file, entries, sandbox.cwd, compacted);
        return ['--session', file];
      },
    );
};

/** A tool whose result is as long as it is asked to be. */
const BIG_TOOL = `
import { Type } from 'typebox';
export default (pi: any) => pi.registerTool({ name: 'big', label: 'Big', description: 'Gives much', parameters: Type.Object({ megabytes: Type.Number() }),
  execute: async (_id: string, { megabytes }: any) => ({ content: [{ type: 'text', text: 'x'.repeat(megabytes * 1e6) }] }) });`;

export const AXES: readonly Axis[] = [
  {
    name: 'extensions',
    unit: 'extensions',
    sizes: [1, 10, 50, 200],
    measure: (extensions, world) =>
      within(world, { extensions }, async (first, sandbox) => {
        await first.loaded(sandbox.commands);
        await first.close();
        const next = new Program(world.command, sandbox, ['--no-session']);
        const startMs = await next.loaded(sandbox.commands);
        await pause(1_000);
        const { rss } = next.memory();
        const { ms } = await next.prompt('ONE');
        await next.close();
        return { 'next start, ms': startMs, 'RSS, MB': rss, 'prompt, ms': ms };
      }),
  },
  {
    name: 'skills and templates',
    unit: 'of each',
    sizes: [10, 100, 1_000],
    measure: (resources, world) =>
      within(world, { resources }, async (program, sandbox) => {
        const startMs = await program.loaded(sandbox.commands);
        await program.prompt('ONE');
        return { 'start, ms': startMs, 'prompt, ms': (await program.prompt('ONE')).ms, 'RSS, MB': program.memory().rss };
      }),
  },
  { name: 'session, compacted', unit: 'entries', sizes: [1_000, 10_000, 100_000], measure: session(true) },
  { name: 'session, all in context', unit: 'entries', sizes: [1_000, 10_000, 100_000], measure: session(false) },
  {
    name: 'session file',
    unit: 'MB',
    sizes: [10, 100, 1_000],
    // About 420 bytes an entry.
    measure: (megabytes, world) => session(true)(Math.round((megabytes * 1e6) / 420), world),
  },
  {
    name: 'tool result',
    unit: 'MB',
    sizes: [1, 10],
    measure: (megabytes, world) =>
      within(
        world,
        {},
        async (program) => {
          await program.request({ type: 'get_commands' });
          const { ms } = await program.prompt(`BIG ${megabytes}`);
          return { 'prompt, ms': ms, 'RSS, MB': program.memory().rss };
        },
        (sandbox) => {
          const file = path.join(sandbox.cwd, 'big.ts');
          writeFileSync(file, BIG_TOOL);
          return ['--no-session', '-e', file];
        },
      ),
  },
  {
    name: 'queued messages',
    unit: 'messages',
    sizes: [10, 100],
    measure: (messages, world) =>
      within(world, {}, async (program) => {
        await program.prompt('ONE');
        const startedAt = performance.now();
        const settled = program.next(({ type }) => type === 'agent_settled');
        program.send({ type: 'prompt', message: 'LOOP 5' });
        await Promise.all(Array.from({ length: messages }, () => program.request({ type: 'follow_up', message: 'ONE' })));
        await settled;
        return { 'to settled, ms': performance.now() - startedAt };
      }),
  },
  {
    name: 'turns of one run',
    unit: 'turns',
    sizes: [100, 500, 2_000],
    measure: (turns, world) =>
      within(world, {}, async (program) => {
        await program.prompt('ONE');
        const { ms, cpuMs } = await program.prompt(`LOOP ${turns}`);
        return { 'a turn, ms': ms / turns, 'CPU of a turn, ms': cpuMs / turns, 'RSS, MB': program.memory().rss };
      }),
  },
  {
    name: 'agents at once, 10 extensions each',
    unit: 'agents',
    sizes: [1, 2, 4, 8],
    measure: async (agents, world) => {
      const sandbox = createSandbox(world.url, { extensions: 10 });
      try {
        const warm = new Program(world.command, sandbox, ['--no-session']);
        await warm.loaded(sandbox.commands);
        await warm.close();
        const startedAt = performance.now();
        const programs = Array.from({ length: agents }, () => new Program(world.command, sandbox, ['--no-session']));
        await Promise.all(programs.map((program) => program.loaded(sandbox.commands)));
        const readyMs = performance.now() - startedAt;
        const runAt = performance.now();
        await Promise.all(programs.map((program) => program.prompt('LOOP 20')));
        const runMs = performance.now() - runAt;
        const pss = programs.reduce((sum, program) => sum + program.memory().pss, 0);
        await Promise.all(programs.map((program) => program.close()));
        return { 'all ready, ms': readyMs, '20 turns in each, ms': runMs, 'PSS of all, MB': pss };
      } finally {
        sandbox.remove();
      }
    },
  },
];
