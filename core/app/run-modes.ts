import { messageOf } from '../base/coded-error.js';
import type { Logger } from '../base/logger.js';
import type { ParsedArguments } from '../modes/cli/parse-arguments.js';
import { runJson } from '../modes/json/json-mode.js';
import { RecordOutput } from '../modes/output/transport.js';
import { finalAnswer, runPrint } from '../modes/print/print-mode.js';
import { writeStdout } from '../modes/print/transport.js';
import { serveRpc } from '../modes/rpc/rpc-mode.js';
import type { ImageContent } from '../protocol/content.js';
import type { UiRequest } from '../protocol/ui.js';
import { agentDir as agentDirOf, homeDir } from '../resources/agent-dir.js';
import { readPromptInput } from '../resources/prompt-input.js';
import { readAllStdin, stdinHasData } from '../resources/stdin-text.js';
import { claimOptions } from './claim-options.js';
import { type App, compose } from './compose.js';
import { EXIT_CODES, ProcessEnd } from './process-end.js';
import { rpcServices } from './rpc-services.js';
import { ShutdownRequest } from './shutdown-request.js';

export interface ModeOptions {
  parsed: ParsedArguments;
  env: NodeJS.ProcessEnv;
  cwd: string;
  version: string;
  log: Logger;
  argv: readonly string[];
  /** Writes text to stderr. */
  stderr: (text: string) => void;
}

/** After stdin has ended, what still runs gets this long to stop and be written out. */
const END_DEADLINE_MS = 2000;
/** The same, and the end of extensions with it. */
const EXIT_DEADLINE_MS = 2500;
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
  const asked = new ShutdownRequest();
  const app = await compose({
    options: parsed.options,
    unknown: parsed.unknown,
    mode: 'rpc',
    version,
    env,
    cwd,
    log,
    emit: (event) => output.send(event),
    // The contract of the extension host checked the fields of each method.
    sendUi: (record) => output.send(record as UiRequest),
    shutdown: () => asked.ask(),
    beforeSessionGoes: () => output.queue.materialise(),
    warn: warner(mode),
  });
  state.app = app;
  if (parsed.unknown.length > 0) {
    const claimed = await claimOptions(mode.argv, app);
    if (!claimed.ok) {
      mode.stderr(`pi: ${claimed.message}\n`);
      return end.exit(EXIT_CODES.usage, END_DEADLINE_MS);
    }
  }
  const { agent } = app;
  const server = serveRpc(rpcServices(app, version), process.stdin, output);
  await Promise.race([server.inputEnded, asked.whenIdle(agent, () => server.answered())]);
  // Nobody answers any more: what waits for a person goes on with the default.
  app.extensions.dialogs.close();
  agent.queues.clear();
  agent.abortBash();
  const quiet = Promise.all([agent.abort(), server.answered()]);
  await Promise.race([quiet, new Promise((resolve) => setTimeout(resolve, END_DEADLINE_MS).unref())]);
  await end.exit(EXIT_CODES.ok, EXIT_DEADLINE_MS);
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
  // Read now where nobody else may have a say in what the prompts are.
  const early = parsed.unknown.length === 0 ? await readPrompts(mode, parsed) : undefined;
  const app = await compose({
    options: parsed.options,
    unknown: parsed.unknown,
    mode: kind === 'json' ? 'json' : 'print',
    version: mode.version,
    env,
    cwd,
    log,
    emit: (event) => output?.send(event),
    // A one-shot run ends by itself. Source: extensions document, `ctx.shutdown`.
    shutdown: () => undefined,
    warn: warner(mode),
  });
  state.app = app;
  const claimed = early ? undefined : await claimOptions(mode.argv, app);
  if (claimed && !claimed.ok) {
    stderr(`pi: ${claimed.message}\n`);
    return end.exit(EXIT_CODES.usage, END_DEADLINE_MS);
  }
  const texts = early ?? (await readPrompts(mode, claimed ?? parsed));
  await app.extensions.lifecycle.ready;
  const { header } = app.session.current;
  const prompts = texts.map((text) => () => app.prompting.prompt(text, 'interactive'));
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
async function runPrompts(app: App, prompts: readonly unknown[], run: () => Promise<void>): Promise<string | undefined> {
  try {
    if (prompts.length > 0 && !app.models.model) return await app.registry.explainNoModels();
    await run();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function readPrompts(
  { cwd, env, stderr }: ModeOptions,
  given: Pick<ParsedArguments, 'messages' | 'fileArgs'>,
): Promise<PromptText[]> {
  const notice = {
    afterMs: STDIN_NOTICE_MS,
    tell: () => stderr('pi: waiting for the end of stdin; close it, or start with </dev/null, when nothing is piped in\n'),
  };
  const stdinText = stdinHasData() ? await readAllStdin(process.stdin, { notice }) : undefined;
  const { first, rest } = await readPromptInput({
    messages: given.messages,
    fileArgs: given.fileArgs,
    ...(stdinText === undefined ? {} : { stdinText }),
    cwd,
    home: homeDir(env),
  });
  if (!first) return [];
  return [{ message: first.text, images: [...first.images] }, ...rest.map((message) => ({ message }))];
}

function processEnd(mode: ModeOptions, state: { app?: App }, output: RecordOutput | undefined): ProcessEnd {
  return new ProcessEnd({
    async stop(reason) {
      state.app?.agent.abortBash();
      state.app?.agent.queues.clear();
      await state.app?.agent.abort();
      await state.app?.extensions.close('quit', shutdownMs(reason, mode));
      await output?.flushed();
      await state.app?.dispose();
    },
    killChildren: () => state.app?.killChildren(),
    killAll: () => state.app?.killAll(),
    crashFolder: `${agentDirOf(mode.env, mode.cwd)}/crashes`,
    version: mode.version,
    argv: mode.argv,
    stderr: mode.stderr,
  });
}

/** What handlers of `session_shutdown` get together. Source: SANDBOX "Limits". */
function shutdownMs(reason: 'signal' | 'crash' | 'end', { parsed }: ModeOptions): number {
  if (reason !== 'end') return 800;
  return parsed.options.mode === 'rpc' ? 2_000 : 1_200;
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
