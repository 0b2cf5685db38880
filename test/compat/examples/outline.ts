import type { Json } from '../../support/pi-process.js';
import type { Drive, Run } from './drive.js';
import { maskOf, order, withoutPerRun } from './mask.js';

/** What is compared of a run, each part as lines in its own order: how the parts are interleaved is not promised to anybody. */
export interface Outline {
  /** What the extension registered: its commands, prompts and skills, and the tools that the model is offered first. */
  commands: string[];
  tools: string[];
  events: string[];
  /** Executions of tools by call: calls of one answer run side by side. */
  executions: string[];
  /** Entries that the extension wrote. */
  entries: string[];
  responses: string[];
  /** Dialogs and notices. */
  ui: string[];
  errors: string[];
  /** What the model was sent: messages, names of tools, and how often each word of the drive is in the system prompt. */
  requests: string[];
  /** How the program ended, and what it left in the folder. */
  end: string[];
}

export type Part = keyof Outline;

const STREAMED: ReadonlySet<string> = new Set([
  'message_update',
  'tool_execution_update',
  'bash_execution_update',
  'message_start',
]);
const BUILT_IN: ReadonlySet<string> = new Set('bash edit find grep ls read write'.split(' '));

export function outlineOf(run: Run, { systemPrompt = [], unspoken = [] }: Drive): Outline {
  const mask = maskOf(run.places, unspoken);
  /** A line that is masked as a whole is none. */
  const lines = (values: readonly unknown[]): string[] =>
    values.map((value) => mask(JSON.stringify(withoutPerRun(value)))).filter((line) => line !== '');
  const of = (type: string): Json[] => run.records.filter((record) => record.type === type);
  const listed = of('response').find(({ command }) => command === 'get_commands')?.data.commands ?? [];
  const executions = [...of('tool_execution_start'), ...of('tool_execution_end')].map(executionOf);
  return {
    commands: lines(commandsOf(listed)),
    tools: lines(toolsOf(run.requests[0]?.body)),
    events: lines(run.records.filter(({ type }) => isEvent(type)).map(eventOf)),
    executions: lines(executions.sort((one, other) => order(one.toolCallId, other.toolCallId))),
    entries: lines(of('entry_appended').flatMap(({ entry }) => (/^custom/.test(entry.type) ? [entry] : []))),
    responses: lines(of('response').filter(isCompared).map(responseOf)),
    ui: lines(of('extension_ui_request').map(({ type: _, ...request }) => request)),
    // Ours puts the command before what it threw.
    errors: lines(of('extension_error').map(({ event, error }) => ({ event, error: error.replace(/^\/[\w-]+: /, '') }))),
    requests: lines(run.requests.map(({ body }) => requestOf(body, systemPrompt))),
    end: [`exit ${run.exit.code} ${run.exit.signal}`, ...mask(run.after).split('\n').filter(Boolean)],
  };
}

const isCompared = ({ command }: Json): boolean => command !== 'get_commands' && command !== 'get_extensions';

/** Without what the programs bring themselves. */
const commandsOf = (commands: Json[]): Json[] =>
  commands
    .filter(({ sourceInfo }) => !/^(builtin|bundled|inline)/.test(sourceInfo?.source ?? ''))
    .map(({ name, description, source }) => ({ name, description, source }));

/** Tools of extensions whole; of built-in ones the names, for each program describes them in its own words. */
const toolsOf = (body: Json): Json[] =>
  (body?.tools ?? [])
    .map(({ name, description, input_schema }: Json) =>
      BUILT_IN.has(name) ? { name } : { name, description, parameters: { required: [], ...input_schema } },
    )
    .sort((one: Json, other: Json) => order(one.name, other.name));

const isEvent = (type: string): boolean =>
  !STREAMED.has(type) && !/^(response|entry_appended|extension_.*|tool_execution_.*)$/.test(type);

/** Whole messages are in the lines of their own ends. */
function eventOf(record: Json): Json {
  const { type, message } = record;
  if (type === 'agent_end') return { type, messages: record.messages.length };
  if (type === 'turn_start' || type === 'turn_end' || type === 'agent_settled') return { type };
  return message?.role === 'toolResult' ? { type, message: resultOf(message, message.toolName) } : record;
}

function executionOf({ type, toolCallId, toolName, args, result, isError }: Json): Json {
  // A tool may return more than a result has: there it is passed on to clients.
  const shown = result && resultOf({ content: result.content, details: result.details, isError }, toolName);
  return { type, toolCallId, toolName, args, result: shown };
}

/** A failure has empty details there, and none here. The words of built-in tools are each program's own. */
function resultOf(result: Json, toolName: string): Json {
  const { content, details, ...rest } = result;
  const isEmpty = details === undefined || Object.keys(details).length === 0;
  if (!BUILT_IN.has(toolName) || rest.isError) return { ...rest, content, ...(!isEmpty && { details }) };
  return { ...rest, content: content.map(({ type }: Json) => ({ type })), details: isEmpty ? [] : Object.keys(details).sort() };
}

function responseOf({ command, success, error, data }: Json): Json {
  if (/^(prompt|steer|follow_up)$/.test(command)) return { command, success, error };
  const { pendingDialogs: _, ...state } = data ?? {};
  return { command, success, error, data: state };
}

function requestOf({ messages = [], system = '', tools = [] }: Json, words: readonly string[]): Json {
  // Marks for caching are set by each program's own rules.
  const plain = JSON.parse(JSON.stringify(messages, (key, value) => (key === 'cache_control' ? undefined : value)));
  for (const { content } of plain) {
    for (const block of Array.isArray(content) ? content : []) {
      const isOwnWords = block.type === 'tool_result' && !block.is_error && BUILT_IN.has(block.tool_use_id.split('_')[1]);
      if (isOwnWords) block.content = '<built-in>';
    }
  }
  const prompt = JSON.stringify(system);
  return {
    messages: plain,
    tools: tools.map(({ name }: Json) => name).sort(),
    words: words.map((word) => `${word}: ${prompt.split(word).length - 1}`),
  };
}
