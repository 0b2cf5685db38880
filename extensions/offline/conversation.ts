import { isFileNotFolder } from './grammar/names.js';
import { isData, tokenise } from './grammar/tokens.js';
import { understand } from './grammar/understand.js';
import type { AssistantMessage, Message, ToolCallBlock, ToolResultMessage, UserMessage } from './model-api.js';
import { foundMatches, foundPaths, type Outcome, toOutcome } from './work/outcome.js';

export interface Request {
  text: string;
  images: number;
  /** What the tool calls made for it gave so far, in the order they were asked for. */
  outcomes: Outcome[];
  /** The messages before it. */
  before: readonly Message[];
}

/** The request to answer, undefined without a user message. "Go on" means the request before it, with what was done for it. */
export function currentRequest(messages: readonly Message[], api: string): Request | undefined {
  let outcomes: Outcome[] = [];
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const since = messages.slice(at + 1);
    const next = outcomesOf(since, api);
    // A call that was aborted or failed is what "go on" wants to try again.
    outcomes = outcomes.length > 0 || isResumed(messages, at) ? [...untilFailure(next), ...outcomes] : next;
    const text = textOf(message);
    if (isResume(text) && messages.slice(0, at).some((earlier) => earlier.role === 'user')) continue;
    return { text, images: imagesOf(message), outcomes, before: messages.slice(0, at) };
  }
  return undefined;
}

const isResumed = (messages: readonly Message[], at: number): boolean =>
  messages.slice(at + 1).some((message) => message.role === 'user');

function untilFailure(outcomes: readonly Outcome[]): Outcome[] {
  const failed = outcomes.findIndex((outcome) => outcome.isError);
  return failed < 0 ? [...outcomes] : outcomes.slice(0, failed);
}

function isResume(text: string): boolean {
  const steps = text.length < 60 ? understand(text) : [];
  return steps.length === 1 && steps[0]?.kind === 'resume';
}

/** Only our own calls count: after a change of models the calls of another are none of the plan's. */
function outcomesOf(messages: readonly Message[], api: string): Outcome[] {
  const calls = messages
    .filter((message): message is AssistantMessage => message.role === 'assistant' && message.api === api)
    .flatMap(callsOf);
  const results = new Map(
    messages
      .filter((message): message is ToolResultMessage => message.role === 'toolResult')
      .map((message) => [message.toolCallId, message]),
  );
  return calls.map((call) => {
    const result = results.get(call.id);
    return result ? toOutcome(result) : { text: 'The call was not run.', isError: true, images: 0 };
  });
}

const callsOf = (message: AssistantMessage): ToolCallBlock[] => message.content.filter((block) => block.type === 'toolCall');

/** The files, command and search text the conversation was last about. */
export function memoryOf(messages: readonly Message[]): {
  files: string[];
  command: string | undefined;
  searched: string | undefined;
} {
  let files: string[] | undefined;
  let command: string | undefined;
  let searched: string | undefined;
  const results = new Map<string, ToolResultMessage>();
  for (const message of messages.toReversed()) {
    if (message.role === 'toolResult') {
      results.set(message.toolCallId, message);
    } else if (message.role === 'user') {
      files ??= orUndefined(filesNamed(textOf(message)));
    } else {
      for (const call of callsOf(message).reverse()) {
        const result = results.get(call.id);
        files ??= orUndefined(filesOfCall(call, result ? toOutcome(result) : undefined));
        if (call.name === 'bash') command ??= stringOf(call.arguments.command);
        if (call.name === 'grep') searched ??= stringOf(call.arguments.pattern);
      }
    }
    if (files && command !== undefined && searched !== undefined) break;
  }
  return { files: files ?? [], command, searched };
}

const orUndefined = (files: string[]): string[] | undefined => (files.length > 0 ? files : undefined);
const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function filesOfCall(call: ToolCallBlock, outcome: Outcome | undefined): string[] {
  const path = stringOf(call.arguments.path);
  switch (call.name) {
    case 'read':
    case 'edit':
    case 'write':
      return path === undefined || outcome?.isError ? [] : [path];
    case 'find':
      return outcome && !outcome.isError ? foundPaths(outcome, 'find').filter((found) => !found.endsWith('/')) : [];
    case 'grep':
      return outcome && !outcome.isError ? filesOfMatches(outcome, 'grep', path ?? '') : [];
    case 'bash': {
      // The commands of our own that stand in for find and grep.
      const command = stringOf(call.arguments.command) ?? '';
      if (!outcome) return [];
      if (/^find .* -type f /.test(command)) return foundPaths(outcome, 'bash');
      return /^grep -rnI/.test(command) ? filesOfMatches(outcome, 'bash', '') : [];
    }
    default:
      return [];
  }
}

const filesOfMatches = (outcome: Outcome, tool: string, path: string): string[] => [
  ...new Set(foundMatches(outcome, tool, path).map((match) => match.path)),
];

/** Longer texts are no requests: looking for names in them would find those of quoted code. */
const MAX_NAMING = 2000;

function filesNamed(text: string): string[] {
  if (text.length > MAX_NAMING) return [];
  const names = tokenise(text)
    .filter((token) => token.kind === 'word' || (isData(token) && token.text.length < 200 && !token.text.includes('\n')))
    .map((token) => token.text)
    .filter(
      (name) => isFileNotFolder(name) && !/[*?{}()<>|;&]/.test(name) && !/^[a-z-]+ .*\//.test(name) && !/^https?:/.test(name),
    );
  return names.slice(-1);
}

function textOf(message: UserMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

const imagesOf = (message: UserMessage): number =>
  typeof message.content === 'string' ? 0 : message.content.filter((block) => block.type === 'image').length;
