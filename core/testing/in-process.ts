import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compose } from '../app/compose.js';
import { VERSION } from '../app/version.js';
import { settledWithin } from '../base/deadline.js';
import { createLogger } from '../base/logger.js';
import { parseArguments } from '../modes/cli/parse-arguments.js';
import type { SessionEntry } from '../protocol/entries.js';
import { startScriptedModel } from './model/scripted-model.js';
import { Recording } from './recording.js';
import { createTestHome, type TestHome } from './test-home.js';
import { DrivenSession, type SessionDriver, type TestSession, type TestSessionOptions, toReply } from './test-session.js';

export const DEFAULT_TIMEOUT_MS = 15_000;
const CLOSE_MS = 2_000;

/**
 * A session in this process, as `pi --mode rpc` has it. The extension is loaded by the program's own loader into an extension host, which is
 * a process of its own here too: nothing of it is simulated. Only the model is: it is a server on this machine. Rejects when the extension
 * does not load.
 */
export async function createTestSession(options: TestSessionOptions): Promise<TestSession> {
  const model = await startScriptedModel(...(options.model ?? []).map(toReply));
  const home = createTestHome(model.url, options);
  try {
    const warnings: string[] = [];
    const recording = new Recording(
      options.dialogs ?? [],
      (response) => app.extensions.answerDialog({ type: 'extension_ui_response', ...response }),
      options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    );
    const app = await open(options, home, recording, warnings);
    const session = new DrivenSession({ driver: driverOf(app), recording, model, home, warnings });
    try {
      await settledWithin(app.extensions.lifecycle.ready, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      assertLoaded(await session.extensions(), warnings);
    } catch (error) {
      await app.extensions.close('quit', CLOSE_MS);
      await app.dispose();
      throw error;
    }
    return session;
  } catch (error) {
    await model[Symbol.asyncDispose]();
    home.remove();
    throw error;
  }
}

/** Throws unless each of them is running. */
export function assertLoaded(
  extensions: readonly { path: string; state: string; reason?: string | undefined }[],
  warnings: readonly string[],
): void {
  const broken = extensions.find(({ state }) => state !== 'ready');
  if (broken) throw new Error(`${broken.path} did not load: ${broken.reason ?? broken.state}`);
  if (extensions.length === 0) throw new Error(`No extension was loaded: ${warnings.join('; ') || 'there is none'}`);
}

/** Arguments of the command line that give the session its extensions. */
export function argumentsFor({ extension, noDialogs }: TestSessionOptions): string[] {
  const given = typeof extension === 'string' || extension instanceof URL ? [extension] : extension;
  const paths = given.map((one) => {
    if (one instanceof URL) return fileURLToPath(one);
    // `builtin:name` is one that comes with the program.
    return one.startsWith('builtin:') ? one : path.resolve(one);
  });
  return [
    ...['--mode', 'rpc', '--no-extensions'],
    ...paths.flatMap((one) => ['--extension', one]),
    ...(noDialogs ? ['--no-dialogs'] : []),
  ];
}

type App = Awaited<ReturnType<typeof compose>>;

function open(options: TestSessionOptions, home: TestHome, recording: Recording, warnings: string[]): Promise<App> {
  const parsed = parseArguments([...argumentsFor(options), '--no-session']);
  if (!parsed.ok) throw parsed.error;
  return compose({
    options: parsed.options,
    env: home.env,
    cwd: home.cwd,
    unknown: Object.entries(options.flags ?? {}).map(([name, value]) => ({
      spelling: `--${name}`,
      name,
      ...(value !== true && { value }),
    })),
    mode: 'rpc',
    version: VERSION,
    emit: (event) => recording.event(event),
    sendUi: ({ type, ...record }) => recording.ui(type, record as { id: string }),
    shutdown: () => undefined,
    log: createLogger({ room: 'testing', level: 'warn', write: (line) => void warnings.push(line.trimEnd()) }),
    warn: (text) => {
      warnings.push(text);
      recording.look();
    },
  });
}

function driverOf(app: App): SessionDriver {
  const { extensions, prompting, agent, session } = app;
  return {
    async prompt(text, images, whileRunning) {
      await extensions.lifecycle.ready;
      const kind = whileRunning && (whileRunning === 'steer' ? 'steering' : 'followUp');
      const given = { message: text, ...(images && { images: [...images] }) };
      const { disposition, begin } = await prompting.prompt(given, 'rpc', kind);
      begin?.();
      return disposition;
    },
    abort: async () => {
      extensions.runAborted();
      await agent.abort();
    },
    reload: () => extensions.lifecycle.reload(),
    newSession: async () => void (await session.startNew(undefined)),
    entries: async () => JSON.parse(session.entries(undefined).text) as SessionEntry[],
    extensions: async () => extensions.lists.extensions(),
    tools: async () => extensions.lists.tools(),
    commands: async () => [...extensions.lists.slashCommands(), ...(await app.slash.slashCommands())],
    close: async () => {
      extensions.dialogs.close();
      agent.queues.clear();
      await agent.abort();
      await extensions.close('quit', CLOSE_MS);
      await app.dispose();
    },
  };
}
