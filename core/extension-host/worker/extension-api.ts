import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { EventHandler, ExtensionAPI, ExtensionTool, FlagOptions, ProviderConfig } from '../contract/public.js';
import type { CorePort } from './core-port.js';
import type { EventBus } from './event-bus.js';
import { exec } from './exec.js';
import type { ExtensionInstance } from './instance.js';
import { withoutLosses } from './json-value.js';

/** The `pi` object of one instance. What acts on the session or the agent is refused until the factory is done. */
export function createExtensionApi(instance: ExtensionInstance, core: CorePort, bus: EventBus): ExtensionAPI {
  const { extension, name } = instance;
  const alive = (member: string): void => instance.assertAlive(`pi.${member}`);
  const active = (member: string): void => instance.assertActive(`pi.${member}`);
  const lost = (member: string, value: unknown): unknown => withoutLosses(value, `pi.${member}`, name);
  const api: ExtensionAPI = {
    // Handlers of known events are typed for the author; here they are all alike.
    on: (event: string, handler: unknown) => {
      alive('on');
      return instance.registrations.addHandler(String(event), asFunction(handler, `pi.on('${event}')`));
    },
    registerTool: (tool) => {
      alive('registerTool');
      instance.registrations.addTool(checkedTool(tool));
    },
    registerCommand: (command, options) => {
      alive('registerCommand');
      asFunction(options?.handler, `pi.registerCommand('${command}'): handler`);
      instance.registrations.addCommand(asName(command, 'pi.registerCommand'), options);
    },
    registerFlag: (flag, options) => {
      alive('registerFlag');
      if (options?.type !== 'string' && options?.type !== 'boolean')
        throw wrongUse(`pi.registerFlag('${flag}'): type`, '"boolean" or "string"');
      instance.registrations.addFlag(asName(flag, 'pi.registerFlag'), options);
    },
    getFlag: (flag) => {
      alive('getFlag');
      return flagValue(instance, flag, instance.registrations.flag(flag));
    },
    registerShortcut: () => alive('registerShortcut'),
    registerMessageRenderer: () => alive('registerMessageRenderer'),
    registerEntryRenderer: () => alive('registerEntryRenderer'),
    registerMarkdownTransformer: () => alive('registerMarkdownTransformer'),
    registerProvider: (first: string | object, config?: ProviderConfig) => {
      alive('registerProvider');
      const { id, provider } = asProvider(first, config);
      instance.registrations.addProvider(id, provider);
    },
    unregisterProvider: (provider) => {
      alive('unregisterProvider');
      instance.registrations.removeProvider(asName(provider, 'pi.unregisterProvider'));
    },
    sendMessage: (message, options) => {
      active('sendMessage');
      core.sync('session.send_message', [name, lost('sendMessage', message) as Record<string, unknown>, { ...options }]);
    },
    sendUserMessage: (content, options) => {
      active('sendUserMessage');
      core.sync('session.send_user_message', [name, lost('sendUserMessage', content), { ...options }]);
    },
    appendEntry: (customType, data) => {
      active('appendEntry');
      core.sync('session.append_entry', [name, asName(customType, 'pi.appendEntry'), lost('appendEntry', data) ?? null]);
    },
    setLabel: (entryId, label) => {
      active('setLabel');
      core.sync('session.set_label', [name, String(entryId), label === undefined || label === null ? null : String(label)]);
    },
    setSessionName: (text) => {
      active('setSessionName');
      core.sync('session.set_name', [name, String(text)]);
    },
    getSessionName: () => {
      active('getSessionName');
      return core.state.session().name;
    },
    setModel: (model) => {
      active('setModel');
      return core.call('agent.set_model', [name, String(model?.provider), String(model?.id)]);
    },
    setThinkingLevel: (level) => {
      active('setThinkingLevel');
      core.sync('agent.set_thinking_level', [name, String(level)]);
    },
    getThinkingLevel: () => {
      active('getThinkingLevel');
      return core.state.agent().thinkingLevel;
    },
    exec: (command, args = [], options = {}) => {
      alive('exec');
      return exec(String(command), args.map(String), { ...options, cwd: options.cwd ?? instance.settings.cwd });
    },
    getActiveTools: () => {
      active('getActiveTools');
      return [...core.state.agent().activeTools];
    },
    setActiveTools: (names) => {
      active('setActiveTools');
      core.sync('agent.set_tools', [name, names.map(String)]);
    },
    getAllTools: () => {
      active('getAllTools');
      return structuredClone([...core.state.tools()]);
    },
    getCommands: () => {
      active('getCommands');
      return structuredClone([...core.state.commands()]);
    },
    events: {
      on: (channel, listener) => {
        alive('events.on');
        return bus.on(extension, String(channel), asFunction(listener, `pi.events.on('${channel}')`) as (data: unknown) => void);
      },
      emit: (channel, data) => {
        alive('events.emit');
        bus.emit(extension, String(channel), data);
      },
    },
  };
  return api;
}

/** The argument of the command line, else the default. */
function flagValue(instance: ExtensionInstance, name: string, options: FlagOptions | undefined): boolean | string | undefined {
  if (!options) return undefined;
  const given = instance.settings.flags.findLast((flag) => flag.name === name);
  if (!given) return options.default;
  return options.type === 'boolean' ? true : (given.value ?? '');
}

function checkedTool(tool: ExtensionTool): ExtensionTool {
  if (typeof tool?.name !== 'string') throw wrongUse('pi.registerTool', 'a tool with a name');
  asFunction(tool.execute, `pi.registerTool('${tool.name}'): execute`);
  if (typeof tool.parameters !== 'object' || tool.parameters === null)
    throw wrongUse(`pi.registerTool('${tool.name}'): parameters`, 'a JSON Schema object');
  return tool;
}

/** Both documented forms: a name and its configuration, or a provider object with an id of its own. */
function asProvider(first: string | object, config: ProviderConfig | undefined): { id: string; provider: ProviderConfig } {
  if (typeof first === 'string') {
    if (typeof config !== 'object' || config === null)
      throw wrongUse(`pi.registerProvider('${first}')`, 'a configuration object');
    return { id: first, provider: config };
  }
  const provider = first as ProviderConfig & { id?: unknown };
  if (typeof provider?.id !== 'string')
    throw wrongUse('pi.registerProvider', 'a name and a configuration, or a provider with an id');
  return { id: provider.id, provider };
}

function asName(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw wrongUse(what, 'a name');
  return value;
}

function asFunction(value: unknown, what: string): EventHandler {
  if (typeof value !== 'function') throw wrongUse(what, 'a function');
  return value as EventHandler;
}

function wrongUse(what: string, wanted: string): CodedError {
  return new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `${what}: expected ${wanted}`);
}
