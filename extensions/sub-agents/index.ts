import type { ExtensionAPI } from '../../core/extension-host/contract/public.js';
import { sessionArguments } from '../shared/command-line.js';
import { listAgents } from './agent-files.js';
import { watchAllowance } from './allowance.js';
import { delegate, TOOL } from './delegate.js';
import { readDepth } from './depth.js';
import { parameters, type ToolArguments, toPlan } from './parameters.js';
import { toParentOptions } from './parent-options.js';
import type { Details } from './task-state.js';

/** Gives tasks to other agents: each is a `pi` of its own, with no more rights than this session has. */
export default function subAgents(pi: ExtensionAPI): void {
  pi.registerFlag('subagent-depth', {
    type: 'string',
    description: 'How deep sub-agents of sub-agents may go (2); 0: none at all',
  });
  pi.registerCommand('agents', {
    description: 'Lists the sub-agents there are',
    handler: async (_args, ctx) => {
      const { agents, problems } = await listAgents(ctx);
      const lines = [...agents.values()].map(
        ({ name, description, scope, model, tools }) =>
          `${name} (${[scope, model, tools && `tools: ${tools.join(', ')}`].filter(Boolean).join('; ')}): ${description}`,
      );
      ctx.ui.notify([...lines, ...problems].join('\n'), problems.length > 0 ? 'warning' : 'info');
    },
  });

  const depth = readDepth(process.env, pi.getFlag('subagent-depth'));
  if (depth.current >= depth.max) return;
  const parent = toParentOptions(sessionArguments(process.cwd()));
  const allowance = watchAllowance(pi, parent);
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();

  pi.registerTool({
    name: TOOL,
    label: 'Sub-agents',
    description:
      'Gives tasks to other agents, each with a fresh context: one ("task"), up to 8 at the same time ("tasks"), or one after another ("chain"). They work in this folder with at most your tools; you get their last messages.',
    promptSnippet: 'Give tasks to other agents, several at once',
    parameters,
    async execute(_toolCallId, params: ToolArguments, signal, onUpdate, ctx) {
      const plan = toPlan(params);
      const stopped = AbortSignal.any([signal, ending.signal]);
      const work = delegate(plan, { pi, ctx, depth, passedOn: parent.passedOn, allowance, signal: stopped, onUpdate });
      running.add(work);
      return work.finally(() => running.delete(work));
    },
  });
  // A tool that throws could not say what was spent: its details do, and here they make an error of it.
  pi.on('tool_result', ({ toolName, details }) =>
    toolName === TOOL && (details as Details | undefined)?.failed ? { isError: true } : undefined,
  );
  pi.on('before_agent_start', async (event, ctx) => {
    const { agents } = await listAgents(ctx);
    if (agents.size < 2 || !pi.getActiveTools().includes(TOOL)) return undefined;
    const list = [...agents.values()].map(({ name, description }) => `- ${name}: ${description}`).join('\n');
    return { systemPrompt: `${event.systemPrompt}\n\nAgents for the tool "${TOOL}":\n${list}` };
  });
  pi.on('session_shutdown', async () => {
    ending.abort();
    await Promise.allSettled(running);
  });
}
