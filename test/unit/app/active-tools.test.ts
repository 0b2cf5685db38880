import { expect, it } from 'vitest';
import { ActiveTools } from '../../../core/app/extensions/active-tools.js';
import type { OfferedTool } from '../../../core/extension-host/host/extension-tools.js';
import type { Tool } from '../../../core/protocol/tool.js';
import type { ToolSelection } from '../../../core/tools/registry.js';

const tool = (name: string, description = 'built in'): Tool => ({
  name,
  label: name,
  description,
  parameters: { type: 'object' },
  execute: async () => ({ content: [] }),
});
const BUILT_IN = ['read', 'write', 'grep', 'find'].map((name) => tool(name));
// Only the tool of an offer is looked at here.
const offer = (name: string): OfferedTool => ({ tool: tool(name, 'an extension’s') }) as OfferedTool;

const active = (selection: ToolSelection): string[] => {
  const offered = [offer('grep'), offer('read'), offer('own')];
  const tools = new ActiveTools({ builtIn: BUILT_IN, selection, offered: () => ({ tools: offered, collisions: [] }) });
  return tools.active().map(({ name, description }) => `${name}: ${description}`);
};

it('a tool of an extension is active even in the place of a built-in one that is not', () => {
  expect(active({})).toEqual(['read: an extension’s', 'write: built in', 'grep: an extension’s', 'own: an extension’s']);
});

it('a tool of an extension is no built-in one, whatever name it took', () => {
  expect(active({ noBuiltinTools: true })).toEqual(['read: an extension’s', 'grep: an extension’s', 'own: an extension’s']);
});

it('what is allowed or excluded by name counts for the tools of extensions too', () => {
  expect(active({ tools: ['write', 'grep'] })).toEqual(['write: built in', 'grep: an extension’s']);
  expect(active({ excludeTools: ['grep', 'own'] })).toEqual(['read: an extension’s', 'write: built in']);
  expect(active({ noTools: true })).toEqual([]);
});
