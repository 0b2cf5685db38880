import { messageOf } from '../base/coded-error.js';
import type { Logger } from '../base/logger.js';
import { optionNames } from '../modes/cli/option-table.js';
import type { ParsedArguments } from '../modes/cli/parse-arguments.js';
import { runJson } from '../modes/json/json-mode.js';
import { RecordOutput } from '../modes/output/transport.js';
import { finalAnswer, runPrint } from '../modes/print/print-mode.js';
import { writeStdout } from '../modes/print/transport.js';
import { serveRpc } from '../modes/rpc/rpc-mode.js';
import { toUserMessage } from '../modes/user-message.js';
import type { ImageContent } from '../protocol/content.js';
import type { UserMessage } from '../protocol/messages.js';
import { agentDir as agentDirOf, homeDir } from '../resources/agent-dir.js';
import { readPromptInput } from '../resources/prompt-input.js';
import { readAllStdin, stdinHasData } from '../resources/stdin-text.js';
import { type App, compose } from './compose.js';
import { EXIT_CODES, ProcessEnd } from './process-end.js';

export interface ModeOptions {
  parsed: ParsedArguments;
  env: NodeJS.ProcessEnv;
  cwd: string;
  version: string;
  log: Logger;
  /** Writes text to stderr. */
  stderr: (text: string) => void;
}

/** After stdin has ended, what still runs gets this long to stop and be written out. */
const END_DEADLINE_MS = 2000;
/** A reader that is slow to take a one-shot run's output is waited for; one that is stuck is not waited for for ever. */
const FLUSH_DEADLINE_MS = 60_000;

/** A stdin that is open but says nothing looks like a hang: this long after the start a person is told. */
const STDIN_NOTICE_MS = 3000;

/** Serves commands until stdin ends or a signal comes; ends the process. */
export async function runRpcMode(mode: ModeOptions): Promise<void> {
  const { parsed, env, cwd, version, log } = mode;
  const state: { app?: App } = {};
  const output = new RecordOutput({
    sequenceNumbers: parsed.options.seq,
    onClosed: () => void end.exit(EXIT_CODES.ok, END_DEADLINE_MS),
  });
  const end = processEnd(mode, state, output);
  end.install();
  const app = await compose({
    options: parsed.options,
    env,
    cwd,
    log,
    emit: (event) => output.send(event),
    beforeSessionGoes: () => output.queue.materialise(),
    warn: warner(mode),
  });
  state.app = app;
  const { agent, models, source, session, autoCompaction } = app;
  const server = serveRpc(
    {
      agent,
      models,
      source,
      session,
      autoCompaction,
      diagnostics: () => app.diagnostics(),
      slashCommands: () => app.slash.slashCommands(),
      expand: (text) => app.slash.expand(text),
      remember: (key, value) => app.remember(key, value),
      capabilities: { version, flags: optionNames() },
    },
    process.stdin,
    output,
  );
  await server.inputEnded;
  agent.queues.clear();
  agent.abortBash();
  const quiet = Promise.all([agent.abort(), server.answered()]);
  await Promise.race([quiet, new Promise((resolve) => setTimeout(resolve, END_DEADLINE_MS).unref())]);
  await end.exit(EXIT_CODES.ok, END_DEADLINE_MS);
}

/** Runs the prompts of the command line, in text or JSON, and ends the process. */
export async function runOneShot(mode: ModeOptions, kind: 'json' | 'text'): Promise<void> {
  const { parsed, env, cwd, log, stderr } = mode;
  const state: { app?: App } = {};
  let output: RecordOutput | undefined;
  if (kind === 'json') {
    output = new RecordOutput({ onClosed: () => void end.exit(EXIT_CODES.failure, END_DEADLINE_MS) });
  }
  const end: ProcessEnd = processEnd(mode, state, output);
  end.install();
  const texts = await readPrompts(mode);
  const app = await compose({ options: parsed.options, env, cwd, log, emit: (event) => output?.send(event), warn: warner(mode) });
  state.app = app;
  const { header } = app.session.current;
  const prompts: UserMessage[] = [];
  for (const text of texts) {
    prompts.push(toUserMessage({ ...text, message: await app.slash.expand(text.message) }, Date.now()));
  }
  const problem = await runPrompts(app, prompts, () =>
    output ? runJson(app.agent, header, prompts, output) : runPrint(app.agent, prompts),
  );
  // What was refused got no answer: the last one in the session is to another prompt.
  const answer = prompts.length === 0 || problem !== undefined ? { text: '' } : finalAnswer(app.session.messages());
  const failure = problem ?? answer.problem;
  if (kind === 'text' && answer.text !== '') await writeStdout(answer.text);
  if (failure !== undefined) stderr(`pi: ${failure}\n`);
  await output?.flushed();
  await end.exit(failure === undefined ? EXIT_CODES.ok : EXIT_CODES.failure, FLUSH_DEADLINE_MS);
}

/** A prompt of the command line before `/skill:name` and `/template` are replaced. */
interface PromptText {
  message: string;
  images?: ImageContent[];
}

/** The text of what kept the prompts from being asked, if anything did. */
async function runPrompts(app: App, prompts: readonly UserMessage[], run: () => Promise<void>): Promise<string | undefined> {
  try {
    if (prompts.length > 0 && !app.models.model) return await app.registry.explainNoModels();
    await run();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function readPrompts({ parsed, cwd, env, stderr }: ModeOptions): Promise<PromptText[]> {
  const notice = {
    afterMs: STDIN_NOTICE_MS,
    tell: () => stderr('pi: waiting for the end of stdin; close it, or start with </dev/null, when nothing is piped in\n'),
  };
  const stdinText = stdinHasData() ? await readAllStdin(process.stdin, { notice }) : undefined;
  const { first, rest } = await readPromptInput({
    messages: parsed.messages,
    fileArgs: parsed.fileArgs,
    ...(stdinText === undefined ? {} : { stdinText }),
    cwd,
    home: homeDir(env),
  });
  if (!first) return [];
  return [{ message: first.text, images: [...first.images] }, ...rest.map((message) => ({ message }))];
}

function processEnd(mode: ModeOptions, state: { app?: App }, output: RecordOutput | undefined): ProcessEnd {
  return new ProcessEnd({
    async stop() {
      state.app?.agent.abortBash();
      state.app?.agent.queues.clear();
      await state.app?.agent.abort();
      await output?.flushed();
      await state.app?.dispose();
    },
    killChildren: () => state.app?.killChildren(),
    crashFolder: `${agentDirOf(mode.env, mode.cwd)}/crashes`,
    version: mode.version,
    argv: process.argv.slice(2),
    stderr: mode.stderr,
  });
}

/** Each warning once, as one line on stderr. */
function warner({ stderr }: ModeOptions): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    told.add(text);
    stderr(`pi: ${text}\n`);
  };
}
