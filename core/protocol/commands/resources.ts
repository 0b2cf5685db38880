import * as z from 'zod';
import { defineCommand } from './define.js';

export const SlashCommandSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  source: z.enum(['extension', 'prompt', 'skill']),
  location: z.enum(['user', 'project', 'path']).optional(),
  path: z.string().optional(),
  /** As today's clients read it. Source: 1.6.0. */
  sourceInfo: z
    .object({ path: z.string(), source: z.string(), scope: z.string(), origin: z.string(), baseDir: z.string().optional() })
    .optional(),
});
export type SlashCommand = z.infer<typeof SlashCommandSchema>;

export const getCommandsCommand = defineCommand({
  name: 'get_commands',
  summary: 'The slash commands `prompt` understands: of extensions, prompt templates and skills.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ commands: z.array(SlashCommandSchema) }),
});
