import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { type FakeReply, type FakeRequest, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, type Fits, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';
import type { Part } from './outline.js';

export interface Command {
  type: string;
  [field: string]: unknown;
}

/** What the client sends next. */
export type Step =
  /** A prompt, and how many runs it starts: usually one, and none for a command of an extension. */
  | { prompt: string; runs?: number; images?: Json[]; streamingBehavior?: string }
  /** Any other command of the protocol. */
  | { command: Command | ((records: readonly Json[]) => Command); runs?: number }
  /** Waits for a record, for what happens in its own time. */
  | { until: Fits };

/** An answer to a dialog: a value, yes or no; `null` cancels it, `'#2'` takes the second option. */
export type Answer = string | boolean | null;

export interface Difference {
  part: Part;
  /** Lines of the existing program, and of ours, that the other does not have. */
  there?: RegExp;
  here?: RegExp;
  because: string;
}

export interface Drive {
  /** The file to load when it is another than the example. */
  entry?: string;
  /** Besides `-e <example>`. */
  args?: string[];
  env?: NodeJS.ProcessEnv;
  /** Files of the working folder; it becomes a git repository with them when `git` is set. */
  files?: Record<string, string>;
  git?: true;
  settings?: object;
  /** What follows a first prompt that every example gets. */
  steps?: Step[];
  /** Dialogs are answered in this order; later ones are cancelled. */
  answers?: Answer[];
  /** What the model says after it has answered the first prompt. */
  llm?: FakeReply[];
  /** Words to be found, or not, in every system prompt that the model gets. */
  systemPrompt?: string[];
  /** Ours is also asked what it has loaded, which the other does not know. */
  asksForExtensions?: true;
  /** The program is asked to end by the example itself. */
  endsItself?: true;
  /** What stands for something that each program says in its own words, or that changes with the clock. */
  unspoken?: RegExp[];
  /** Lines that only one of the programs has, and why. */
  differences?: Difference[];
  /** A shell line that tells, after the end, what was done to the working folder. */
  after?: string;
}

export interface Run {
  records: Json[];
  requests: FakeRequest[];
  badLines: string[];
  stderr: string;
  exit: { code: number | null; signal: NodeJS.Signals | null };
  /** Texts of this run alone -> what stands for them when runs are compared. */
  places: ReadonlyMap<string, string>;
  /** What the line of the drive printed. */
  after: string;
}

const DIALOGS: ReadonlySet<string> = new Set(['select', 'confirm', 'input', 'editor']);
const FIRST_REPLY: FakeReply = { text: 'Good day.' };
const FIRST: Step[] = [{ command: { type: 'get_commands' } }, { prompt: 'Hello there' }];

/** Runs a program with one extension through a drive, to its end. */
export async function run(program: readonly string[], extension: string, drive: Drive): Promise<Run> {
  await using llm = await startFakeLlm(FIRST_REPLY, ...(drive.llm ?? []));
  const sandbox = createSandbox({
    providers: fakeProviders(llm.url),
    settings: { retry: { enabled: false }, ...drive.settings },
    files: { 'notes.txt': 'one\ntwo\nthree\n', ...drive.files },
  });
  try {
    if (drive.git) makeRepository(sandbox);
    const args = ['--mode', 'rpc', '--provider', 'fake', '--model', 'thinker', '-e', extension, ...(drive.args ?? [])];
    const pi = new PiProcess(sandbox, args, drive.env, program);
    try {
      answerDialogs(pi, drive.answers ?? []);
      for (const step of FIRST) await take(pi, step);
      if (drive.asksForExtensions) await pi.request({ type: 'get_extensions' });
      for (const step of drive.steps ?? []) await take(pi, step);
      if (!drive.endsItself) pi.child.stdin.end();
      const exit = await pi.exited;
      const { records, badLines, stderr } = pi;
      const places = new Map([
        [llm.url, 'http://<service>'],
        [sandbox.root, '<root>'],
        [path.dirname(extension), '<examples>'],
      ]);
      return { records, requests: llm.requests, badLines, stderr, exit, places, after: lookAt(sandbox, drive.after) };
    } finally {
      pi.kill();
    }
  } finally {
    sandbox.remove();
  }
}

async function take(pi: PiProcess, step: Step): Promise<void> {
  const from = pi.records.length;
  if ('until' in step) {
    await pi.find(step.until);
    return;
  }
  const isPrompt = 'prompt' in step;
  const { prompt, runs = isPrompt && !prompt.startsWith('/') ? 1 : 0, ...rest } = { prompt: '', ...step };
  await pi.request('command' in step ? commandOf(step.command, pi.records) : { type: 'prompt', message: prompt, ...rest });
  let settled = from - 1;
  for (let left = runs; left > 0; left -= 1) {
    const record = await pi.find(({ type }) => type === 'agent_settled', settled + 1);
    settled = pi.records.indexOf(record, settled + 1);
  }
}

const commandOf = (command: Command | ((records: readonly Json[]) => Command), records: readonly Json[]): Command =>
  typeof command === 'function' ? command(records) : command;

/** Listens after the process object did, so that its records are there. */
function answerDialogs(pi: PiProcess, answers: readonly Answer[]): void {
  const left = [...answers];
  let seen = 0;
  pi.child.stdout.on('data', () => {
    for (; seen < pi.records.length; seen += 1) {
      const { type, method, id, options } = pi.records[seen];
      if (type === 'extension_ui_request' && DIALOGS.has(method))
        pi.send({ type: 'extension_ui_response', id, ...toResponse(left.shift() ?? null, options) });
    }
  });
}

function toResponse(answer: Answer, options: readonly string[] = []): object {
  if (answer === null) return { cancelled: true };
  if (typeof answer === 'boolean') return { confirmed: answer };
  return { value: answer.startsWith('#') ? options[Number(answer.slice(1)) - 1] : answer };
}

function lookAt({ cwd, env }: Sandbox, line: string | undefined): string {
  return line === undefined ? '' : execFileSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
}

function makeRepository({ cwd, env }: Sandbox): void {
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
    execFileSync('git', [...identity, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
}
