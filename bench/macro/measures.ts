import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { spread } from '../boundary/figures.js';
import { Program } from './program.js';
import { createSandbox, type SandboxOptions, writeSession } from './sandbox.js';

export interface Subject {
  name: string;
  command: readonly string[];
}

/** Takes a figure; lower is better for all of them. */
export type Take = (figure: string, value: number) => void;

export interface Measure {
  name: string;
  /** `url`: the model service. */
  run: (subject: Subject, url: string, take: Take) => Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values: readonly number[]): number => spread(values).median;

/** Runs `use` on a program in a fresh sandbox. */
async function within(
  { command }: Subject,
  url: string,
  options: SandboxOptions,
  use: (program: Program) => Promise<void>,
  argsOf: (cwd: string) => string[] = () => ['--no-session'],
): Promise<void> {
  const sandbox = createSandbox(url, options);
  const program = new Program(command, sandbox, argsOf(sandbox.cwd));
  try {
    await use(program);
  } finally {
    await program.close();
    sandbox.remove();
  }
}

const start = (what: string, options: SandboxOptions): Measure => ({
  name: `start, ${what}`,
  run: async ({ command }, url, take) => {
    const sandbox = createSandbox(url, options);
    try {
      for (const which of ['first', 'next']) {
        const program = new Program(command, sandbox, ['--no-session']);
        take(`${which} start, ms`, await program.loaded(sandbox.commands));
        take(`${which} start, CPU ms`, program.cpuMs());
        if (which === 'next') {
          await pause(1_000);
          take('idle RSS of all processes, MB', program.memory().rss);
        }
        await program.close();
      }
    } finally {
      sandbox.remove();
    }
  },
});

const stream = (what: string, options: SandboxOptions): Measure => ({
  name: `20 000 deltas${what}`,
  run: (subject, url, take) =>
    within(subject, url, options, async (program) => {
      await program.loaded(options.extensions ?? 0);
      await program.prompt('ONE');
      const { ms, cpuMs, bytes } = await program.prompt('STREAM 20000');
      take('to settled, ms', ms);
      take('CPU, ms', cpuMs);
      take('stdout, MB', bytes / 1e6);
    }),
});

const session = (entries: number, compacted: boolean): Measure => ({
  name: `session of ${entries} entries, ${compacted ? 'compacted' : 'all in context'}`,
  run: (subject, url, take) =>
    within(
      subject,
      url,
      {},
      async (program) => {
        await program.request({ type: 'get_state' });
        take('open to get_state, ms', performance.now() - program.startedAt);
        take('RSS, MB', program.memory().rss);
        take('get_entries, ms', await program.time({ type: 'get_entries' }));
        const prompts = [];
        for (let at = 0; at < 4; at++) prompts.push((await program.prompt('ONE')).ms);
        take('prompt, ms', median(prompts.slice(1)));
      },
      (cwd) => {
        const file = path.join(cwd, 'session.jsonl');
        writeSession(file, entries, cwd, compacted);
        return ['--session', file];
      },
    ),
});

const AGENTS = 8;

export const MEASURES: readonly Measure[] = [
  start('nothing to load', {}),
  start('10 extensions', { extensions: 10 }),
  start('30 extensions', { extensions: 30 }),
  start('50 skills and 50 templates', { resources: 50 }),
  {
    name: 'json mode, whole process',
    run: async ({ command: [file = '', ...before] }, url, take) => {
      const sandbox = createSandbox(url);
      const startedAt = performance.now();
      const child = spawn(file, [...before, '--mode', 'json', 'hi'], { ...sandbox, stdio: ['ignore', 'ignore', 'ignore'] });
      await once(child, 'exit');
      take('ms', performance.now() - startedAt);
      sandbox.remove();
    },
  },
  {
    name: 'latency of short answers',
    run: (subject, url, take) =>
      within(subject, url, {}, async (program) => {
        for (let at = 0; at < 10; at++) await program.prompt('ONE');
        const before = program.cpuMs();
        const runs = [];
        for (let at = 0; at < 50; at++) runs.push(await program.prompt('ONE'));
        take('to first delta, ms', median(runs.map(({ firstMs }) => firstMs)));
        take('to settled, ms', median(runs.map(({ ms }) => ms)));
        take('CPU for one, ms', (program.cpuMs() - before) / runs.length);
      }),
  },
  stream('', {}),
  stream(' to 10 extensions', { extensions: 10, listening: true }),
  ...[200, 800].map(
    (turns): Measure => ({
      name: `tool loop of ${turns} turns`,
      run: (subject, url, take) =>
        within(subject, url, {}, async (program) => {
          await program.prompt('ONE');
          const { ms, cpuMs } = await program.prompt(`LOOP ${turns}`);
          take('ms', ms);
          take('CPU, ms', cpuMs);
        }),
    }),
  ),
  session(1_000, true),
  session(50_000, true),
  session(50_000, false),
  {
    name: 'bash with seq 1 500000',
    run: (subject, url, take) =>
      within(subject, url, {}, async (program) => {
        await program.request({ type: 'get_state' });
        take('ms', await program.time({ type: 'bash', command: 'seq 1 500000' }));
      }),
  },
  {
    name: '5 000 get_state at once',
    run: (subject, url, take) =>
      within(subject, url, {}, async (program) => {
        await program.request({ type: 'get_state' });
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: 5_000 }, () => program.request({ type: 'get_state' })));
        take('ms', performance.now() - startedAt);
      }),
  },
  {
    name: `${AGENTS} agents with 10 extensions`,
    run: async ({ command }, url, take) => {
      const sandbox = createSandbox(url, { extensions: 10 });
      try {
        const warm = new Program(command, sandbox, ['--no-session']);
        await warm.loaded(sandbox.commands);
        await warm.close();
        const startedAt = performance.now();
        const programs = Array.from({ length: AGENTS }, () => new Program(command, sandbox, ['--no-session']));
        await Promise.all(programs.map((program) => program.loaded(sandbox.commands)));
        take('all ready, ms', performance.now() - startedAt);
        await pause(1_000);
        take(
          'PSS of all, MB',
          programs.reduce((sum, program) => sum + program.memory().pss, 0),
        );
        await Promise.all(programs.map((program) => program.close()));
      } finally {
        sandbox.remove();
      }
    },
  },
];
