import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExtensionAPI, ExtensionContext, ExtensionToolResult } from '../../core/extension-host/contract/public.js';
import { projectTrust } from '../shared/project-trust.js';
import { type AgentProfile, GENERAL, listAgents } from './agent-files.js';
import type { Allowance } from './allowance.js';
import { childArguments, type Inheritance, toolsFor } from './child-args.js';
import { childEnv, type Depth } from './depth.js';
import type { Plan } from './parameters.js';
import { report } from './report.js';
import { runPlan } from './run-plan.js';
import { runTask } from './run-task.js';
import { newTask, progressText, type TaskState, toDetails } from './task-state.js';

export const TOOL = 'subagent';

export interface Delegation {
  pi: ExtensionAPI;
  ctx: ExtensionContext;
  depth: Depth;
  passedOn: readonly string[];
  allowance: () => Allowance;
  signal: AbortSignal;
  onUpdate: (partial: ExtensionToolResult) => void;
}

/** Has the tasks of a plan done, each by a `pi` of its own, and gives their answers as the result of the tool. */
export async function delegate({ order, requests }: Plan, delegation: Delegation): Promise<ExtensionToolResult> {
  const { ctx, depth, signal, onUpdate } = delegation;
  const profiles = await profilesOf(requests, ctx);
  const tasks = requests.map(({ task, agent = GENERAL.name }) => newTask(agent, task));
  const inherited = await inheritance(delegation);
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  let left = delegation.allowance().cost;
  const update = (): void =>
    onUpdate({ content: [{ type: 'text', text: progressText(tasks) }], details: toDetails(order, tasks) });
  let made: Promise<string> | undefined;
  const folder = (): Promise<string> => {
    made ??= mkdtemp(path.join(os.tmpdir(), 'pi-sub-agents-'));
    return made;
  };
  await runPlan(order, tasks, async (task) => {
    const profile = profiles.get(task.agent) ?? GENERAL;
    const tools = toolsFor(profile, inherited, TOOL);
    const missing = profile.tools?.filter((name) => !tools.includes(name)) ?? [];
    if (missing.length > 0) task.missingTools = missing;
    const promptFile = profile.prompt === '' ? '' : await writePrompt(await folder(), profile);
    const args = childArguments(profile, inherited, { ...delegation.allowance(), cost: left }, tools, promptFile);
    await runTask(task, {
      args,
      cwd: ctx.cwd,
      env: childEnv(process.env, depth),
      ui: ctx.ui,
      signal: stopped,
      onChange: update,
      onCost: (dollars) => {
        if (left === undefined) return;
        // All of them pay from one purse: each was started with what was left then.
        left = Math.max(0, left - dollars);
        if (left === 0) stop.abort();
      },
    });
  });
  if (stop.signal.aborted) failStopped(tasks);
  const text = await report(tasks, folder);
  const details = toDetails(order, tasks);
  return { content: [{ type: 'text', text }], details, usage: details.usage };
}

async function profilesOf(requests: Plan['requests'], ctx: ExtensionContext): Promise<ReadonlyMap<string, AgentProfile>> {
  const { agents } = await listAgents(ctx);
  for (const { agent = GENERAL.name } of requests) {
    if (!agents.has(agent)) throw new Error(`There is no sub-agent "${agent}"; there are: ${[...agents.keys()].join(', ')}`);
  }
  return agents;
}

async function inheritance({ pi, ctx, depth, passedOn }: Delegation): Promise<Inheritance> {
  return {
    passedOn,
    trust: await projectTrust(ctx),
    hasUI: ctx.hasUI,
    model: ctx.model,
    thinkingLevel: ctx.thinkingLevel,
    activeTools: pi.getActiveTools(),
    mayDelegate: depth.current + 1 < depth.max,
  };
}

async function writePrompt(folder: string, { name, prompt }: AgentProfile): Promise<string> {
  const file = path.join(folder, `prompt-${name}.md`);
  await writeFile(file, prompt, { mode: 0o600 });
  return file;
}

function failStopped(tasks: readonly TaskState[]): void {
  for (const task of tasks) {
    if (task.state === 'stopped') Object.assign(task, { state: 'failed', error: 'the limit of --max-cost is reached' });
  }
}
