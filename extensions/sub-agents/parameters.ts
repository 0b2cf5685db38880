import { Type } from 'typebox';

export const MAX_TASKS = 8;

const agent = Type.Optional(Type.String({ description: 'Name of an agent; without it a general one' }));
const item = Type.Object({
  agent,
  task: Type.String({ description: 'All the agent needs to know: it sees nothing of this conversation' }),
});

export const parameters = Type.Object({
  agent,
  task: Type.Optional(Type.String({ description: 'One task' })),
  tasks: Type.Optional(
    Type.Array(item, { maxItems: MAX_TASKS, description: 'Tasks that do not depend on one another: done at the same time' }),
  ),
  chain: Type.Optional(
    Type.Array(item, {
      maxItems: MAX_TASKS,
      description: 'Tasks done one after another: {previous} in a task is the answer to the one before it',
    }),
  ),
});

export interface TaskRequest {
  agent?: string;
  task: string;
}

export interface ToolArguments {
  agent?: string;
  task?: string;
  tasks?: TaskRequest[];
  chain?: TaskRequest[];
}

export interface Plan {
  order: 'together' | 'chain';
  requests: TaskRequest[];
}

/** Throws with a sentence for the model when it is not clear what is to be done. */
export function toPlan({ agent, task, tasks, chain }: ToolArguments): Plan {
  const given = [task !== undefined && 'task', tasks?.length && 'tasks', chain?.length && 'chain'].filter(Boolean);
  if (given.length !== 1) {
    throw new Error(`Give one of "task", "tasks" and "chain"; given: ${given.join(', ') || 'none'}`);
  }
  if (task !== undefined) return { order: 'together', requests: [{ ...(agent !== undefined && { agent }), task }] };
  const list = (tasks?.length ? tasks : chain) ?? [];
  // An agent beside the list is meant for those that name none.
  const requests = list.map((one) => (one.agent === undefined && agent !== undefined ? { ...one, agent } : one));
  return { order: tasks?.length ? 'together' : 'chain', requests };
}
