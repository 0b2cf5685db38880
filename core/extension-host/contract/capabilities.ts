import type { HookName } from './hooks.js';
import type { CoreForWorkerContract, CoreSyncContract } from './sides.js';
import type { StateTopic } from './state.js';

/**
 * What a member of the contract needs of an extension that is not trusted: one of the capabilities, where `{1}` stands for the second argument;
 * nothing at all; or trust itself. `for` says in a sentence what it is that was refused.
 */
export interface Need {
  anyOf: readonly string[] | 'nothing' | 'trust';
  for: string;
}

const need = (what: string, ...anyOf: string[]): Need => ({ anyOf, for: what });
const free: Need = { anyOf: 'nothing', for: '' };
const trust = (what: string): Need => ({ anyOf: 'trust', for: what });

/** Each member that an extension can call. One that is not here can't be. */
export const MEMBER_NEEDS: Readonly<Record<keyof CoreForWorkerContract | keyof CoreSyncContract, Need>> = {
  'hooks.subscribed': free,
  'hooks.failed': free,
  'logs.printed': free,
  'register.all': free,
  'register.tool': need('Registering a tool', 'tools'),
  'register.command': need('Registering a command', 'commands'),
  'register.flag': free,
  'register.provider': need('Registering a provider', 'provider'),
  'register.no_provider': need('Unregistering a provider', 'provider'),
  'session.append_entry': need('Writing to the session', 'session:write'),
  'session.append': need('Writing to the session', 'session:write'),
  'session.set_label': need('Labelling an entry', 'session:write'),
  'session.set_name': need('Naming the session', 'session:write'),
  'session.send_message': need('Sending a message', 'session:write'),
  'session.send_user_message': need('Speaking for the user', 'session:write'),
  'session.new': need('Beginning a session', 'session:write'),
  'session.fork': need('Forking the session', 'session:write'),
  'session.switch': need('Changing the session', 'session:write'),
  'session.navigate': need('Moving in the session', 'session:write'),
  'session.reload': need('Reloading extensions', 'session:write'),
  'agent.set_thinking_level': need('Setting the thinking level', 'model'),
  'agent.set_model': need('Choosing the model', 'model'),
  'agent.set_tools': need('Choosing the active tools', 'tools'),
  'agent.abort': need('Aborting the run', 'session:write'),
  'agent.shutdown': need('Ending the program', 'session:write'),
  'agent.compact': need('Compacting the session', 'session:write'),
  'agent.wait_for_idle': free,
  'models.auth': need('Reading a key of the provider {1}', 'secrets:{1}'),
  'models.stream': need('Asking a model', 'model:call'),
  'models.refresh': need('Refreshing the models', 'model'),
  'ui.dialog': need('Asking the user', 'ui', 'ui:dialog'),
  'ui.notice': need('Showing something to the user', 'ui'),
  'ui.degraded': free,
  'env.set': trust("Changing the program's environment"),
  'bus.emit': need('Speaking to other extensions', 'hooks:observe'),
  // Which program, and which host, those who carry it out look at.
  'exec.run': need('Running a program', 'exec:*'),
  'net.fetch': need('A request to the network', 'net:*'),
};

const observe = (event: string): Need => need(`Listening to "${event}"`, 'hooks:observe');
const hook = (kind: string) => (event: string) => need(`Handling "${event}"`, `hooks:${kind}`);
const [context, tool, provider] = [hook('context'), hook('tool'), hook('provider')];

/** Hooks, whose answers count. */
const HOOK_NEEDS: Readonly<Record<HookName | 'after_provider_response', (event: string) => Need>> = {
  project_trust: () => trust('Deciding whether a project is trusted'),
  resources_discover: context,
  session_before_switch: context,
  session_before_fork: context,
  session_before_compact: context,
  session_before_tree: context,
  input: context,
  before_agent_start: context,
  context,
  message_end: context,
  before_provider_headers: provider,
  before_provider_request: provider,
  after_provider_response: provider,
  tool_call: tool,
  tool_result: tool,
  user_bash: tool,
};

/** What an extension may hear without being granted anything: that it begins and ends. */
const OWN_LIFE: ReadonlySet<string> = new Set(['session_start', 'session_shutdown']);

export function eventNeed(event: string): Need {
  if (OWN_LIFE.has(event)) return free;
  return Object.hasOwn(HOOK_NEEDS, event) ? HOOK_NEEDS[event as HookName](event) : observe(event);
}

export const STATE_NEEDS: Readonly<Record<StateTopic, Need>> = {
  entries: need('Reading the session', 'session:read'),
  session: need('Reading about the session', 'session:read'),
  prompt: need('Reading the system prompt', 'session:read', 'hooks:context'),
  agent: free,
  models: free,
  tools: free,
  commands: free,
};

export const BUS_NEED: Need = need('Hearing other extensions', 'hooks:observe');
/** A tool in the place of one of the program's own sees and answers its calls. */
export const OVERRIDE_NEED: Need = need('A tool with the name of a built-in one', 'hooks:tool');
