import type { Model } from '../../core/extension-host/contract/public.js';
import type { ProjectTrust } from '../shared/project-trust.js';
import type { AgentProfile } from './agent-files.js';
import type { Allowance } from './allowance.js';

/** What a child has of the session that asks. */
export interface Inheritance {
  passedOn: readonly string[];
  trust: ProjectTrust;
  /** Somebody can answer a dialog of the child. */
  hasUI: boolean;
  model: Model | undefined;
  thinkingLevel: string;
  activeTools: readonly string[];
  /** May the child have sub-agents of its own? */
  mayDelegate: boolean;
}

/** These see nothing that `read` does not see, and change nothing. */
const AS_GOOD_AS_READ = ['grep', 'find', 'ls'];

/** Tools of the child: never more than the session has. */
export function toolsFor(agent: AgentProfile, { activeTools, mayDelegate }: Inheritance, ownName: string): string[] {
  const allowed = new Set([...activeTools, ...(activeTools.includes('read') ? AS_GOOD_AS_READ : [])]);
  if (!mayDelegate) allowed.delete(ownName);
  return (agent.tools ?? activeTools).filter((name) => allowed.has(name));
}

/** The command line of a child. `promptFile` holds the agent's prompt. */
export function childArguments(
  agent: AgentProfile,
  inherited: Inheritance,
  { cost, turns }: Allowance,
  tools: readonly string[],
  promptFile: string,
): string[] {
  const { model, thinkingLevel, passedOn, trust, hasUI } = inherited;
  const chosen = agent.model ?? (model && `${model.provider}/${model.id}`);
  const thinking = agent.thinking ?? (agent.model === undefined ? thinkingLevel : undefined);
  return [
    '--mode',
    'rpc',
    '--no-session',
    ...passedOn,
    // Where nobody has said anything, the child finds out by itself what the project has come to bring.
    ...(trust === 'undecided' ? [] : [trust === 'trusted' ? '--approve' : '--no-approve']),
    ...(hasUI ? [] : ['--no-dialogs']),
    ...(chosen === undefined ? [] : ['--model', chosen]),
    ...(thinking === undefined ? [] : ['--thinking', thinking]),
    ...(tools.length > 0 ? ['--tools', tools.join(',')] : ['--no-tools']),
    ...(cost === undefined ? [] : ['--max-cost', String(cost)]),
    ...(turns === undefined ? [] : ['--max-turns', String(turns)]),
    ...(agent.prompt === '' ? [] : ['--append-system-prompt', promptFile]),
  ];
}
