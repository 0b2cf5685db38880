import type { ExtensionContext, TextContent } from '../../core/extension-host/contract/public.js';
import type { Connection } from './connection.js';
import type { Hub } from './hub.js';
import { listing, readResource } from './resources.js';
import { describeServer } from './server-config.js';

export const USAGE = '/mcp [restart <server> | tools <server> | resources [server] | read <server> <uri>]';

/** What `/mcp …` says. Throws a sentence for the user when it can't be done. */
export async function runCommand(hub: Hub, typed: string): Promise<string> {
  const [verb = '', name, uri] = typed.trim().split(/\s+/);
  switch (verb) {
    case '':
      return overview(hub);
    case 'restart': {
      const connection = named(hub, name);
      await connection.restart();
      return line(hub, connection);
    }
    case 'tools':
      return toolList(hub, named(hub, name));
    case 'resources': {
      const asked = name === undefined ? hub.connections.filter(({ state }) => state === 'ready') : [named(hub, name)];
      const lists = await Promise.all(asked.filter(({ catalogue }) => catalogue.hasResources).map((one) => listing(one)));
      return lists.join('\n\n') || 'No server has resources';
    }
    case 'read': {
      if (uri === undefined) throw new Error(USAGE);
      const { content } = await readResource(named(hub, name), uri, hub.files);
      return content.map((part) => (part.type === 'text' ? (part as TextContent).text : '[an image]')).join('\n');
    }
    default:
      throw new Error(USAGE);
  }
}

function overview(hub: Hub): string {
  const lines = [
    ...hub.connections.map((connection) => line(hub, connection)),
    ...hub.disabled.map((name) => `${name}: disabled`),
    ...hub.names.collisions,
    ...hub.problems,
  ];
  return lines.join('\n') || 'No MCP server is configured: see docs/bundled/mcp.md';
}

function line(hub: Hub, connection: Connection): string {
  const { config, state, problem, catalogue } = connection;
  const has = [
    `${hub.tools.namesOf(connection).length} tools`,
    `${catalogue.prompts.length} prompts`,
    catalogue.hasResources && 'resources',
  ];
  const detail = state === 'ready' ? has.filter(Boolean).join(', ') : problem;
  return `${config.name}: ${[state, detail].filter(Boolean).join(', ')} (${config.kind}, ${describeServer(config)})`;
}

function toolList(hub: Hub, connection: Connection): string {
  const { tools } = connection.catalogue;
  const lines = hub.tools.namesOf(connection).map((name, at) => `${name}: ${tools[at]?.description?.split('\n')[0] ?? ''}`);
  return lines.join('\n') || `The MCP server "${connection.config.name}" has no tools`;
}

function named(hub: Hub, name: string | undefined): Connection {
  const found = hub.connections.find(({ config }) => config.name === name);
  if (found) return found;
  const names = hub.connections.map(({ config }) => config.name).join(', ') || 'none';
  throw new Error(`${name === undefined ? USAGE : `There is no MCP server "${name}"`}; there are: ${names}`);
}

/** An error is for the user here, and no fault of the extension. */
export async function answerCommand(hub: Hub, typed: string, ctx: ExtensionContext): Promise<void> {
  try {
    ctx.ui.notify(await runCommand(hub, typed));
  } catch (error) {
    ctx.ui.notify(error instanceof Error ? error.message : String(error), 'error');
  }
}
