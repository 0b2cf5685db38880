import type { Plan } from './parameters.js';
import type { TaskState } from './task-state.js';

const AT_ONCE = 4;

/**
 * Runs the tasks: together, four at a time, or one after another until one fails. Those that are not reached stay as they are.
 */
export async function runPlan(
  order: Plan['order'],
  tasks: readonly TaskState[],
  run: (task: TaskState) => Promise<void>,
): Promise<void> {
  if (order === 'chain') return inChain(tasks, run);
  const waiting = [...tasks];
  const lane = async (): Promise<void> => {
    for (let task = waiting.shift(); task; task = waiting.shift()) await run(task);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function inChain(tasks: readonly TaskState[], run: (task: TaskState) => Promise<void>): Promise<void> {
  let previous: TaskState | undefined;
  for (const task of tasks) {
    if (previous) task.task = withPrevious(task.task, previous.answer);
    await run(task);
    if (task.state !== 'done') return;
    previous = task;
  }
}

/** One pass: what an answer holds is never replaced again. */
export function withPrevious(task: string, answer: string): string {
  if (!task.includes('{previous}')) return `${task}\n\nThe answer to the step before:\n${answer}`;
  return task.replaceAll('{previous}', () => answer);
}
