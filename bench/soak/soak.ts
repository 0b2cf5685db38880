import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LineReader } from '../../core/base/jsonl.js';
import { fakeProviders } from '../../test/support/pi-process.js';
import { memoryMb, row, spread } from '../boundary/figures.js';
import { soakExtensions, TOOLS } from './extensions.js';
import { startModelService } from './model-service.js';

const { SOAK_FOLDER = '', SOAK_MINUTES = '30', SOAK_NODE = process.execPath, SOAK_PI = '' } = process.env;
const END = Date.now() + Number(SOAK_MINUTES) * 60_000;
/** No answer after this is one that was lost: above the sum of every limit a misbehaving extension can use up. */
const LOST_MS = 120_000;
const PROMPTS_EACH_SESSION = 100;
const THOUGHT_MS = 200;
const SAMPLE_MS = 5_000;
const MAX_GROWTH = 1.1;

interface Reply {
  type: string;
  [field: string]: unknown;
}

/** Prepares a home and starts the program in it. */
function start(url: string): ChildProcessWithoutNullStreams {
  const agentDir = path.join(SOAK_FOLDER, 'home/.pi/agent');
  mkdirSync(path.join(agentDir, 'extensions'), { recursive: true });
  for (const [name, source] of Object.entries(soakExtensions())) writeFileSync(path.join(agentDir, 'extensions', name), source);
  writeFileSync(path.join(agentDir, 'models.json'), JSON.stringify({ providers: fakeProviders(url) }));
  const env = { PATH: process.env.PATH, HOME: path.join(SOAK_FOLDER, 'home'), PI_OFFLINE: '1', NO_PROXY: '127.0.0.1' };
  const args = [SOAK_PI, '--mode', 'rpc', '--no-session', '--provider', 'fake', '--model', 'plain'];
  const child = spawn(SOAK_NODE, args, { cwd: SOAK_FOLDER, env });
  // Read and let go: thousands of lines of those who flood.
  child.stderr.resume();
  return child;
}

const service = await startModelService(TOOLS);
const pi = start(service.url);
const counts = { prompts: 0, lost: 0, wrong: 0, dialogs: 0, ignoredDialogs: 0, notices: 0, toolErrors: 0, sessions: 0 };
const errors = new Map<string, number>();
const slowest: number[] = [];
const stateMs: number[] = [];
const memory: { core: number; all: number }[] = [];
let ended: string | undefined;
let answer = '';
const waiting = new Map<string, (reply: Reply) => void>();
let onSettled: () => void = () => undefined;

pi.once('exit', (code, signal) => {
  ended = `exit ${code ?? signal}`;
});

function take(record: Reply): void {
  switch (record.type) {
    case 'response':
      waiting.get(String(record.id))?.(record);
      waiting.delete(String(record.id));
      return;
    case 'agent_settled':
      onSettled();
      return;
    case 'message_end': {
      const { role, content } = record.message as { role: string; content: { type: string; text?: string }[] };
      if (role === 'assistant') answer = content.map(({ text = '' }) => text).join('');
      return;
    }
    case 'tool_execution_end':
      if (record.isError) counts.toolErrors++;
      return;
    case 'extension_error': {
      const name = `${path.basename(String(record.extensionPath || 'unknown'), '.ts')}: ${record.code ?? 'thrown'}`;
      errors.set(name, (errors.get(name) ?? 0) + 1);
      return;
    }
    case 'extension_ui_request':
      dialog(record);
  }
}

/** Nine of ten dialogs get an answer, after a moment. */
function dialog({ id, method }: Reply): void {
  if (!['select', 'confirm', 'input', 'editor'].includes(String(method))) {
    counts.notices++;
    return;
  }
  counts.dialogs++;
  if (Math.random() < 0.1) {
    counts.ignoredDialogs++;
    return;
  }
  const said = method === 'confirm' ? { confirmed: true } : { value: 'a' };
  setTimeout(() => send({ type: 'extension_ui_response', id, ...said }), Math.random() * 50);
}

const reader = new LineReader({
  maxBytes: 64 * 1024 * 1024,
  onLine: (line) => take(JSON.parse(line) as Reply),
  onTooLong: (bytes) => process.stderr.write(`a record of ${bytes} bytes\n`),
});
pi.stdout.on('data', (chunk: Buffer) => reader.push(chunk));

const send = (record: object): void => void pi.stdin.write(`${JSON.stringify(record)}\n`);
let serial = 0;
const within = <T>(promise: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LOST_MS, undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

function request(command: Reply): Promise<Reply | undefined> {
  const id = `r${++serial}`;
  const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
  send({ ...command, id });
  return within(reply);
}

/** One prompt, from its line to `agent_settled`, with the answer it must have. */
async function prompt(): Promise<void> {
  const text = `question ${++counts.prompts}`;
  const startedAt = performance.now();
  answer = '';
  const settled = new Promise<boolean>((resolve) => {
    onSettled = () => resolve(true);
  });
  const response = await request({ type: 'prompt', message: text });
  if (response?.success !== true || (await within(settled)) !== true) {
    counts.lost++;
    process.stderr.write(`lost: ${text} (${JSON.stringify(response)})\n`);
  } else if (!answer.startsWith(`answer to ${text} `)) {
    counts.wrong++;
    process.stderr.write(`wrong answer to ${text}: ${answer.slice(0, 200)}\n`);
  }
  slowest.push(performance.now() - startedAt);
}

function sample(): void {
  try {
    const children = readFileSync(`/proc/${pi.pid}/task/${pi.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
    const core = memoryMb(pi.pid ?? 0).rss;
    memory.push({ core, all: children.reduce((sum, pid) => sum + rssOf(pid), core) });
  } catch {
    // The program is ending: there is nothing to measure any more.
  }
}

/** 0 for a process that has just ended. */
function rssOf(pid: number): number {
  try {
    return memoryMb(pid).rss;
  } catch {
    return 0;
  }
}

const sampler = setInterval(sample, SAMPLE_MS);
const prober = setInterval(async () => {
  const startedAt = performance.now();
  await request({ type: 'get_state' });
  stateMs.push(performance.now() - startedAt);
}, 500);

while (Date.now() < END && ended === undefined) {
  await prompt();
  // People think, too; and the machine has other things to do.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * THOUGHT_MS));
  if (counts.prompts % PROMPTS_EACH_SESSION === 0) {
    counts.sessions++;
    await request({ type: 'new_session' });
  }
}
const states = await request({ type: 'get_extensions' });
clearInterval(sampler);
clearInterval(prober);
const endedBefore = ended;
pi.stdin.end();
await new Promise((resolve) => (ended === undefined ? pi.once('exit', resolve) : resolve(undefined)));
service.close();

const median = (part: readonly { core: number; all: number }[], key: 'core' | 'all'): number =>
  spread(part.map((one) => one[key])).median;
const part = (from: number, to: number): typeof memory =>
  memory.slice(Math.floor(memory.length * from), Math.floor(memory.length * to));
// V8 lets its heap grow for some minutes before it settles; what grows after that is a leak.
const begin = part(0.3, 0.5);
const end = part(0.8, 1);
const tenths = Array.from({ length: 10 }, (_, at) => median(part(at / 10, (at + 1) / 10), 'core').toFixed(0));
const growth = median(end, 'core') / median(begin, 'core');
const extensions =
  (states?.data as { extensions?: { name: string; state: string; restarts: number; errors: number }[] } | undefined)
    ?.extensions ?? [];
const round = (value: number): string => value.toFixed(1);

row('measure', `${SOAK_MINUTES} minutes, Node ${process.versions.node} drives ${path.basename(SOAK_NODE)}`);
row('---', '---:');
row('prompts; sessions', `${counts.prompts}; ${counts.sessions + 1}`);
row('answers lost; wrong', `${counts.lost}; ${counts.wrong}`);
row(
  'prompt to settled, ms: median / p95 / most',
  `${round(spread(slowest).median)} / ${round(spread(slowest).p95)} / ${round(Math.max(...slowest))}`,
);
row(
  '`get_state` meanwhile, ms: median / p95 / most',
  `${round(spread(stateMs).median)} / ${round(spread(stateMs).p95)} / ${round(Math.max(...stateMs))}`,
);
row('dialogs; of them never answered', `${counts.dialogs}; ${counts.ignoredDialogs}`);
row('notices passed on; tool calls refused or failed', `${counts.notices}; ${counts.toolErrors}`);
row(
  'RSS of the core, MB: begin / end / most',
  `${round(median(begin, 'core'))} / ${round(median(end, 'core'))} / ${round(Math.max(...memory.map(({ core }) => core)))}`,
);
row('RSS of the core in each tenth of the time, MB', tenths.join(' '));
row('RSS of all processes, MB: begin / end', `${round(median(begin, 'all'))} / ${round(median(end, 'all'))}`);
for (const [name, count] of [...errors].sort()) row(`errors of ${name}`, String(count));
for (const { name, state, restarts } of extensions)
  if (name.startsWith('bad-')) row(`${name}: restarts; state at the end`, `${restarts}; ${state}`);
const good = extensions.filter(({ name }) => name.startsWith('good-'));
const away = good.filter(({ state }) => state !== 'ready').length;
row('the others: most restarts; not running at the end', `${Math.max(...good.map(({ restarts }) => restarts))}; ${away}`);
if (endedBefore !== undefined) row('the program ended before its time', endedBefore);
process.exitCode = counts.lost + counts.wrong > 0 || growth > MAX_GROWTH || endedBefore !== undefined ? 1 : 0;
