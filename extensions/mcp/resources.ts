import type { Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { Type } from 'typebox';
import type { ExtensionAPI, ExtensionToolResult } from '../../core/extension-host/contract/public.js';
import type { Connection } from './connection.js';
import type { ResultFiles } from './files.js';
import { resourcePart, withinLimits } from './result.js';

export const RESOURCES_TOOL = 'mcp_resources';
const MAX_PAGES = 20;

interface Wish {
  action: 'list' | 'read';
  server?: string;
  uri?: string;
}

/** Gives the model one tool for the resources of all servers. */
export function registerResourcesTool(pi: ExtensionAPI, ready: () => Connection[], files: ResultFiles): void {
  pi.registerTool({
    name: RESOURCES_TOOL,
    label: 'MCP resources',
    description: 'Lists the resources of MCP servers, or reads one of them',
    parameters: Type.Object({
      action: Type.Union([Type.Literal('list'), Type.Literal('read')]),
      server: Type.Optional(Type.String({ description: 'Name of a server; without it all of them' })),
      uri: Type.Optional(Type.String({ description: 'What to read' })),
    }),
    async execute(_toolCallId, { action, server, uri }: Wish, signal) {
      const all = ready().filter(({ config, catalogue }) => catalogue.hasResources && (server ?? config.name) === config.name);
      if (all.length === 0) throw new Error(`No MCP server ${server === undefined ? '' : `"${server}" `}with resources is ready`);
      if (action === 'list') return textResult((await Promise.all(all.map((one) => listing(one, signal)))).join('\n\n'));
      if (uri === undefined) throw new Error('"uri" is missing: it says what to read');
      return readResource(await ownerOf(uri, all, signal), uri, files, signal);
    },
  });
}

/** A line for each resource of a server, and for each pattern of those that are made when they are read. */
export async function listing({ client, config }: Connection, signal?: AbortSignal): Promise<string> {
  const options = signal && { signal };
  const resources: Resource[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await client.listResources(cursor === undefined ? undefined : { cursor }, options);
    resources.push(...page.resources);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const { resourceTemplates } = await client.listResourceTemplates(undefined, options).catch(() => ({ resourceTemplates: [] }));
  const lines = [
    ...resources.map((one) => `${one.uri}  ${about(one)}`),
    ...resourceTemplates.map((one) => `${one.uriTemplate}  ${about(one)}`),
  ];
  return config.redact([`${config.name}:`, ...(lines.length > 0 ? lines : ['nothing'])].join('\n'));
}

const about = ({ name, mimeType, description }: Resource | ResourceTemplate): string =>
  [name, mimeType && `(${mimeType})`, description].filter(Boolean).join(' ');

export async function readResource(
  { client, config }: Connection,
  uri: string,
  files: ResultFiles,
  signal?: AbortSignal,
): Promise<ExtensionToolResult> {
  const { contents } = await client.readResource({ uri }, { ...(signal && { signal }), timeout: config.callTimeoutMs });
  const place = { server: config.name, tool: RESOURCES_TOOL, redact: config.redact, files };
  const parts = await Promise.all(contents.map((one) => resourcePart(one, place)));
  return { content: await withinLimits(parts, place), details: { mcp: { server: config.name, uri }, isError: false } };
}

/** The only one it can be, else the one that lists it. */
async function ownerOf(uri: string, all: readonly Connection[], signal: AbortSignal): Promise<Connection> {
  const [only] = all;
  if (only && all.length === 1) return only;
  for (const one of all) {
    const { resources } = await one.client.listResources(undefined, { signal });
    if (resources.some((resource) => resource.uri === uri)) return one;
  }
  throw new Error(`Say which "server" has ${uri}: ${all.map(({ config }) => config.name).join(', ')}`);
}

const textResult = (text: string): ExtensionToolResult => ({ content: [{ type: 'text', text }], details: { isError: false } });
