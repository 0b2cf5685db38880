import * as z from 'zod';
import { defineCommand } from './define.js';

export const ExtensionInfoSchema = z.object({
  name: z.string(),
  path: z.string(),
  level: z.enum(['trusted', 'restricted', 'isolated']),
  state: z.enum(['loading', 'ready', 'failed', 'restarting', 'quarantined']),
  source: z.string(),
  scope: z.string(),
  /** Of the process it runs in, while it runs. */
  pid: z.number().int().optional(),
  worker: z.number().int().optional(),
  /** It shares its worker with others. */
  shared: z.boolean(),
  loadMs: z.number().optional(),
  /** Why it is not loaded, or how it last ended. */
  reason: z.string().optional(),
  stack: z.string().optional(),
  restarts: z.number().int(),
  errors: z.number().int(),
  hooks: z.array(z.object({ event: z.string(), calls: z.number().int(), totalMs: z.number(), maxMs: z.number() })),
  tools: z.array(z.string()),
  commands: z.array(z.string()),
  flags: z.array(z.string()),
  providers: z.array(z.string()),
  /** Capabilities, by setting and by use. */
  declared: z.array(z.string()).optional(),
  granted: z.array(z.string()).optional(),
  denied: z.array(z.string()).optional(),
});
export type ExtensionInfo = z.infer<typeof ExtensionInfoSchema>;

export const getExtensionsCommand = defineCommand({
  name: 'get_extensions',
  summary:
    'Every extension: where it runs, how it is, what it registered, what its hooks took. Answers at once, also while they load.',
  source: 'additive',
  params: z.object({}),
  result: z.object({ extensions: z.array(ExtensionInfoSchema) }),
});

export const reloadCommand = defineCommand({
  name: 'reload',
  summary: 'Load extensions, skills and prompt templates anew. Settings are read again by the next start.',
  source: 'additive',
  params: z.object({}),
});

const ToolInfoSchema = z.object({
  name: z.string(),
  label: z.string().optional(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  active: z.boolean(),
  sourceInfo: z.object({
    path: z.string(),
    source: z.string(),
    scope: z.string(),
    origin: z.string(),
    baseDir: z.string().optional(),
  }),
});
export type ToolInfo = z.infer<typeof ToolInfoSchema>;

export const getToolsCommand = defineCommand({
  name: 'get_tools',
  summary: 'Every tool there is, ours and those of extensions, and which of them the model is offered.',
  source: 'additive',
  params: z.object({}),
  result: z.object({ tools: z.array(ToolInfoSchema) }),
});

export const setActiveToolsCommand = defineCommand({
  name: 'set_active_tools',
  summary:
    'Choose the tools the model is offered from its next request on. Unknown names are left out; the answer says which counted.',
  source: 'additive',
  params: z.object({ tools: z.array(z.string()) }),
  result: z.object({ tools: z.array(z.string()) }),
});
