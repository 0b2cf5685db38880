import type { Tool, ToolResult } from '../protocol/tool.js';
import { type CollectedOutput, OutputCollector } from './output-collector.js';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, type TruncationDetails } from './output-limits.js';
import type { ShellOutcome, ShellRunner } from './shell.js';
import { UpdatePacer } from './update-pacer.js';

export interface BashToolOptions {
  shell: ShellRunner;
  tmpDir: string;
  /** The session variables of the moment; asked when a command starts. */
  sessionEnv: () => Record<string, string>;
}

export interface BashToolDetails {
  truncation?: TruncationDetails | null;
  fullOutputPath?: string | null;
}

/** The model's `bash`. Source: FACTS "Bash and tools", environment-variables.md. */
export function createBashTool(options: BashToolOptions): Tool {
  const { shell, tmpDir, sessionEnv } = options;
  return {
    name: 'bash',
    label: 'bash',
    description:
      'Run a command with bash in the working directory and return what it prints (stdout and stderr in one). Stdin is empty and there is no ' +
      `terminal. Long output is cut to its last ${DEFAULT_MAX_LINES} lines or ${formatSize(DEFAULT_MAX_BYTES)}; the whole is then in a file ` +
      'whose path is given. The command ends when its process ends; a program left in the background keeps running.',
    promptSnippet: 'Run shell commands (search, build, test, git, …)',
    promptGuidelines: [
      'Use bash for ls, rg, find, git and the like; read files with read, not with cat',
      'The variables PI_PROVIDER, PI_MODEL, PI_REASONING_LEVEL and PI_SESSION_ID of a bash command tell about this session',
    ],
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The bash command to run' },
        timeout: { type: 'number', description: 'Seconds after which the command is ended (optional; no limit without it)' },
      },
      required: ['command'],
    },
    async execute(args, { signal, onUpdate }) {
      const command = String(args.command);
      const timeout = typeof args.timeout === 'number' && args.timeout > 0 ? args.timeout : undefined;
      onUpdate({ content: [] });
      const updates = new UpdatePacer(() => {
        const update = progress(collector.snapshot());
        onUpdate(update);
        return update.content.reduce((size, block) => size + (block.type === 'text' ? block.text.length : 0), 0);
      });
      const collector = new OutputCollector({ tmpDir, onText: () => updates.request() });
      try {
        const outcome = await shell.run(command, {
          signal,
          output: collector,
          timeoutMs: timeout === undefined ? undefined : timeout * 1000,
          env: sessionEnv(),
        });
        updates.flush();
        return result(outcome, timeout);
      } finally {
        updates.stop();
      }
    },
  };
}

function progress(output: CollectedOutput): ToolResult {
  const details: BashToolDetails = {
    truncation: truncationOf(output) ?? null,
    fullOutputPath: output.fullOutputPath ?? null,
  };
  return { content: output.text === '' ? [] : [{ type: 'text', text: output.text }], details };
}

function result(outcome: ShellOutcome, timeout: number | undefined): ToolResult {
  const { output } = outcome;
  const end = ending(outcome, timeout);
  const notes = [cutNote(output), end].filter((note) => note !== undefined);
  const shown = output.text === '' && end === undefined ? '(no output)' : output.text;
  const text = notes.length === 0 ? shown : [...(shown === '' ? [] : [shown.replace(/\n$/, '')]), ...notes].join('\n\n');
  const truncation = truncationOf(output);
  const details: BashToolDetails | undefined = truncation && {
    truncation,
    ...(output.fullOutputPath === undefined ? {} : { fullOutputPath: output.fullOutputPath }),
  };
  return {
    content: [{ type: 'text', text }],
    ...(details === undefined ? {} : { details }),
    ...(end === undefined ? {} : { isError: true }),
  };
}

/** How a command failed; undefined when it did not. */
function ending({ ended, exitCode, killedBy }: ShellOutcome, timeout: number | undefined): string | undefined {
  if (ended === 'aborted') return 'Command aborted';
  if (ended === 'timeout') return `Command timed out after ${timeout} seconds`;
  if (exitCode === undefined) return `Command was killed by ${killedBy ?? 'a signal'}`;
  return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
}

function cutNote({ truncation, fullOutputPath, saveError }: CollectedOutput): string | undefined {
  if (!truncation.truncated) return undefined;
  const { totalLines, outputLines, outputBytes, totalBytes, lastLinePartial } = truncation;
  const shown = lastLinePartial
    ? `the last ${formatSize(outputBytes)} of line ${totalLines}`
    : `lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}`;
  const where = fullOutputPath === undefined ? 'The full output could not be saved' : `Full output: ${fullOutputPath}`;
  const failure =
    saveError === undefined
      ? ''
      : `${fullOutputPath === undefined ? ':' : ' (incomplete:'} ${saveError}${fullOutputPath === undefined ? '' : ')'}`;
  return `[Output of ${formatSize(totalBytes)} cut: this is ${shown}. ${where}${failure}]`;
}

function truncationOf({ truncation }: CollectedOutput): TruncationDetails | undefined {
  if (!truncation.truncated) return undefined;
  // The content is in the result already.
  const { content: _, ...details } = truncation;
  return details;
}
