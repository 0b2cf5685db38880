import type { Usage } from '../../core/extension-host/contract/public.js';
import { addUsage, noUsage } from './usage.js';

/** One task as it stands: what a client is shown while it runs, and what stays in the session. */
export interface TaskState {
  agent: string;
  task: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'stopped';
  model?: string;
  /** The tool it called last. */
  lastTool?: string;
  /** Tools its file asks for that this session has not. */
  missingTools?: string[];
  turns: number;
  usage: Usage;
  answer: string;
  /** Has the whole answer, where `answer` was cut. */
  file?: string;
  /** A sentence, when it failed. */
  error?: string;
  stderr?: string;
  durationMs?: number;
}

export interface Details {
  order: 'together' | 'chain';
  failed: boolean;
  tasks: TaskState[];
  usage: Usage;
}

export const newTask = (agent: string, task: string): TaskState => ({
  agent,
  task,
  state: 'waiting',
  turns: 0,
  usage: noUsage(),
  answer: '',
});

export function toDetails(order: Details['order'], tasks: readonly TaskState[]): Details {
  return {
    order,
    failed: tasks.some(({ state }) => state === 'failed'),
    tasks: tasks.map((task) => ({ ...task })),
    usage: tasks.reduce((sum, { usage }) => addUsage(sum, usage), noUsage()),
  };
}

/** A line for each task. */
export function progressText(tasks: readonly TaskState[]): string {
  return tasks.map((task, at) => `${at + 1}. ${task.agent}: ${standing(task)}`).join('\n');
}

function standing({ state, lastTool, turns, usage }: TaskState): string {
  if (state === 'waiting') return state;
  const tokens = usage.totalTokens ?? 0;
  const parts = [
    state,
    lastTool && `last tool ${lastTool}`,
    `${turns} turns`,
    `${tokens} tokens`,
    `$${usage.cost.total.toFixed(4)}`,
  ];
  return parts.filter(Boolean).join(', ');
}
