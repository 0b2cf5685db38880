import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { EventHandler, ExtensionAPI, ExtensionContext, ExtensionTool } from '../contract/public.js';
import type { BridgedTool } from '../contract/tools.js';
import type { Registrations } from './registrations.js';

/** The `pi` object of one extension. */
export function createExtensionApi(registrations: Registrations): ExtensionAPI {
  return {
    // Handlers of known events are typed for the author; here they are all alike.
    on: (event: string, handler: unknown) => registrations.addHandler(event, asFunction(handler, `pi.on('${event}')`)),
    registerTool: (tool) => registrations.addTool(checkedTool(tool)),
  };
}

/** The `ctx` of every handler and tool; its reads are live. */
export function createExtensionContext(readEntries: () => unknown[]): ExtensionContext {
  return { sessionManager: { getEntries: () => readEntries().slice() } };
}

/** The parts of a tool that cross: the rest are functions and stay here. */
export function toBridgedTool(tool: ExtensionTool): BridgedTool {
  const { name, description, parameters, label, promptSnippet, promptGuidelines, executionMode } = tool;
  return {
    name,
    description,
    parameters,
    ...(label !== undefined && { label }),
    ...(promptSnippet !== undefined && { promptSnippet }),
    ...(promptGuidelines !== undefined && { promptGuidelines }),
    ...(executionMode !== undefined && { executionMode }),
  };
}

function checkedTool(tool: ExtensionTool): ExtensionTool {
  if (typeof tool?.name !== 'string') throw wrongUse('pi.registerTool', 'a tool with a name');
  asFunction(tool.execute, `pi.registerTool('${tool.name}'): execute`);
  return tool;
}

function asFunction(value: unknown, what: string): EventHandler {
  if (typeof value !== 'function') throw wrongUse(what, 'a function');
  return value as EventHandler;
}

function wrongUse(what: string, wanted: string): CodedError {
  return new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `${what}: expected ${wanted}`);
}
