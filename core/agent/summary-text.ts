import type { CompactionPlan, FileLists } from '../protocol/compaction-plan.js';
import type { UserContent } from '../protocol/content.js';
import type { AgentMessage } from '../protocol/messages.js';

/** Tool results are long and rarely needed word for word. Source: FACTS "Compaction". */
const MAX_RESULT_CHARS = 2000;

export const SUMMARY_SYSTEM_PROMPT =
  'You write summaries of working sessions between a person and a coding agent. You are given the record of a session and never take part in it: do not answer it, do not go on with it, give only the summary.';

const FORMAT = `Write the summary so that somebody who sees nothing else can go on with the work. Use these headings and leave out those with nothing under them:

## Goal
What the person wants.

## Rules
What they asked to be done or left alone, and how.

## State
What is done, what is being done, what stands in the way.

## Decisions
What was decided, and why.

## Next
The steps that come next, in order.

## Keep in mind
Names of files, functions, commands, errors and data that will be needed, exactly as they were.`;

const PREFIX_FORMAT = `This is the beginning of a turn whose end is kept word for word. Write down, shortly, what its end needs to be understood:

## Request
What the person asked for.

## So far
What was done and decided before the part that is kept.

## Needed
Names, paths and values that the rest relies on.`;

/** The one message the summariser is sent for whole turns. */
export function historyPrompt(plan: CompactionPlan, customInstructions: string | undefined): string {
  const parts = [`<conversation>\n${serialize(plan.messages)}\n</conversation>`];
  if (plan.previousSummary !== undefined) {
    parts.push(`<previous-summary>\n${plan.previousSummary}\n</previous-summary>`);
    parts.push(
      'The conversation goes on from what the previous summary tells. Bring that summary up to date: keep what still holds.',
    );
  }
  parts.push(FORMAT);
  if (customInstructions) parts.push(`Additional focus: ${customInstructions}`);
  return parts.join('\n\n');
}

/** The message for a branch that is left. `replace` puts the instructions in place of the usual ones. */
export function branchPrompt(
  messages: readonly AgentMessage[],
  customInstructions: string | undefined,
  replace: boolean,
): string {
  const parts = [`<conversation>\n${serialize(messages)}\n</conversation>`];
  if (replace && customInstructions) return [...parts, customInstructions].join('\n\n');
  parts.push(
    'This branch of the work is left; another one goes on from where it began and should know what was tried and learnt here.',
    FORMAT,
  );
  if (customInstructions) parts.push(`Additional focus: ${customInstructions}`);
  return parts.join('\n\n');
}

/** The message for the beginning of a turn that is cut inside. */
export function prefixPrompt(plan: CompactionPlan): string {
  return `<conversation>\n${serialize(plan.turnPrefix)}\n</conversation>\n\n${PREFIX_FORMAT}`;
}

/** Both summaries and the lists of files as one text. */
export function joinSummaries(history: string | undefined, prefix: string | undefined, files: FileLists): string {
  const parts = [history?.trim(), prefix && `---\n\n**Turn Context (split turn):**\n\n${prefix.trim()}`].filter(Boolean);
  if (files.readFiles.length > 0) parts.push(`<read-files>\n${files.readFiles.join('\n')}\n</read-files>`);
  if (files.modifiedFiles.length > 0) parts.push(`<modified-files>\n${files.modifiedFiles.join('\n')}\n</modified-files>`);
  return parts.join('\n\n');
}

/** A conversation as text, so that a model reads it instead of going on with it. */
export function serialize(messages: readonly AgentMessage[]): string {
  return messages.flatMap(linesOf).join('\n\n');
}

function linesOf(message: AgentMessage): string[] {
  switch (message.role) {
    case 'user':
      return [`[User]: ${textOf(message.content)}`];
    case 'assistant': {
      const lines: string[] = [];
      for (const part of message.content) {
        if (part.type === 'thinking') lines.push(`[Assistant thinking]: ${part.thinking}`);
        else if (part.type === 'text') lines.push(`[Assistant]: ${part.text}`);
        else lines.push(`[Assistant tool call]: ${part.name}(${argumentsOf(part.arguments)})`);
      }
      return lines;
    }
    case 'toolResult':
      return [`[Tool result]: ${cut(textOf(message.content))}`];
    case 'bashExecution':
      return message.excludeFromContext ? [] : [`[User ran]: ${message.command}\n${cut(message.output)}`];
    case 'custom':
      return [`[User]: ${textOf(message.content)}`];
    case 'branchSummary':
      return [`[Summary of another branch]: ${message.summary}`];
    case 'compactionSummary':
      return [`[Summary of what came before]: ${message.summary}`];
    default:
      // Roles of other programs that nobody here knows.
      return [];
  }
}

function textOf(content: string | readonly UserContent[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `(image, ${part.mimeType})`)).join('\n');
}

function argumentsOf(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(', ');
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  return `${text.slice(0, MAX_RESULT_CHARS)}\n[${text.length - MAX_RESULT_CHARS} more characters]`;
}
