import * as z from 'zod';
import { defineCommand } from './define.js';

export const BashResultSchema = z.object({
  /** stdout and stderr merged, without ANSI codes and carriage returns; the end of it when truncated. */
  output: z.string(),
  /** Missing when the command was killed. */
  exitCode: z.number().int().optional(),
  cancelled: z.boolean(),
  truncated: z.boolean(),
  fullOutputPath: z.string().optional(),
});
export type BashResult = z.infer<typeof BashResultSchema>;

export const bashCommand = defineCommand({
  name: 'bash',
  summary: 'Run a shell command and add it, with its output, to the conversation. Streams `bash_execution_update`.',
  source: 'rpc-mode',
  params: z.object({ command: z.string(), excludeFromContext: z.boolean().optional() }),
  result: BashResultSchema,
});

export const abortBashCommand = defineCommand({
  name: 'abort_bash',
  summary: 'Kill every running `bash` command.',
  source: 'rpc-mode',
  params: z.object({}),
});
