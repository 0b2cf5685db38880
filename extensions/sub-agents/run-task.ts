import type { ExtensionUI, Usage } from '../../core/extension-host/contract/public.js';
import { Child, type WireRecord } from './child.js';
import { DialogRelay } from './dialogs.js';
import type { TaskState } from './task-state.js';
import { addUsage } from './usage.js';

export interface TaskRun {
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  ui: ExtensionUI;
  signal: AbortSignal;
  /** The state has changed. */
  onChange: () => void;
  /** A call of a model was paid. */
  onCost: (dollars: number) => void;
}

interface AssistantRecord {
  role: string;
  content?: { type: string; text?: string }[];
  usage?: Usage;
  stopReason?: string;
  errorMessage?: string;
  model?: string;
}

type Verdict = 'settled' | 'handled' | 'aborted' | 'gone' | { refused: string };

/** Has a child do the task, and writes into `task` how it goes. Resolves when the child is gone; `task.state` says how it ended. */
export async function runTask(task: TaskState, run: TaskRun): Promise<void> {
  const { signal, onChange } = run;
  if (signal.aborted) {
    task.state = 'stopped';
    return;
  }
  const startedAt = performance.now();
  task.state = 'running';
  onChange();
  let decide: (verdict: Verdict) => void = () => undefined;
  const decided = new Promise<Verdict>((resolve) => {
    decide = resolve;
  });
  const follower = new Follower(task, run, (verdict) => decide(verdict));
  const child = new Child({ ...run, onRecord: (record) => relay.take(record) || follower.take(record) });
  const relay = new DialogRelay(run.ui, task.agent, (answer) => child.send(answer));
  const abort = (): void => decide('aborted');
  signal.addEventListener('abort', abort, { once: true });
  void child.exited.then(() => decide('gone'));
  child.send({ id: 'task', type: 'prompt', message: promptOf(task.task) });
  try {
    const verdict = await decided;
    relay.close();
    await child.end(verdict === 'aborted' ? 'at once' : 'in peace');
    Object.assign(task, await outcome(verdict, follower, child));
  } finally {
    signal.removeEventListener('abort', abort);
    task.durationMs = Math.round(performance.now() - startedAt);
    onChange();
  }
}

/** What a model wrote is never a command. */
const promptOf = (task: string): string => (task.trimStart().startsWith('/') ? `Task: ${task}` : task);

async function outcome(verdict: Verdict, follower: Follower, child: Child): Promise<Partial<TaskState>> {
  if (verdict === 'aborted') return { state: 'stopped' };
  const failure = (error: string): Partial<TaskState> => ({
    state: 'failed',
    error,
    ...(child.stderrTail !== '' && { stderr: child.stderrTail }),
  });
  if (verdict === 'gone') {
    const { code, signal } = await child.exited;
    return failure(`it ended before it was done (${signal ?? (code === null ? 'it could not be started' : `code ${code}`)})`);
  }
  if (typeof verdict === 'object') return failure(verdict.refused);
  if (follower.problem !== undefined) return failure(follower.problem);
  return { state: 'done' };
}

/** Reads the events of a child into the state of its task. */
class Follower {
  /** Why the last answer is none. */
  problem: string | undefined;
  readonly #task: TaskState;
  readonly #run: TaskRun;
  readonly #decide: (verdict: Verdict) => void;

  constructor(task: TaskState, run: TaskRun, decide: (verdict: Verdict) => void) {
    this.#task = task;
    this.#run = run;
    this.#decide = decide;
  }

  take(record: WireRecord): void {
    if (record.type === 'response' && record.id === 'task') this.#accepted(record);
    else if (record.type === 'message_end')
      this.#message(record.message as AssistantRecord); // docs/PROTOCOL.md
    else if (record.type === 'agent_settled') this.#decide('settled');
    else if (record.type === 'tool_execution_start') {
      this.#task.lastTool = String(record.toolName);
      this.#run.onChange();
    }
  }

  #accepted({ success, error, data }: WireRecord): void {
    if (success !== true) this.#decide({ refused: String(error) });
    else if ((data as { disposition?: string } | undefined)?.disposition === 'handled') this.#decide('handled');
  }

  #message({ role, content = [], usage, stopReason, errorMessage, model }: AssistantRecord): void {
    if (usage) {
      this.#task.usage = addUsage(this.#task.usage, usage);
      this.#run.onCost(usage.cost.total);
    }
    if (role !== 'assistant') return;
    this.#task.turns += 1;
    if (model !== undefined) this.#task.model = model;
    const text = content.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : [])).join('\n');
    if (text !== '') this.#task.answer = text;
    const failed = stopReason === 'error' || stopReason === 'aborted';
    this.problem = failed ? (errorMessage ?? `its model stopped with "${stopReason}"`) : undefined;
    this.#run.onChange();
  }
}
