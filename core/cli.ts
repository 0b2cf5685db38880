import { EXIT_CODES } from './app/process-end.js';
import { VERSION } from './app/version.js';
import { isCoded, messageOf } from './base/coded-error.js';
import { loggerFromEnv } from './base/logger.js';
import { addSecret, addSecretSource, redact } from './base/secrets.js';
import { parseArguments } from './modes/cli/parse-arguments.js';
import { storedSecrets } from './providers/stored-secrets.js';
import { agentDir } from './resources/agent-dir.js';

/** Codes of errors that the caller of the program can mend: exit code 2. */
const USAGE_CODES = new Set([
  'USAGE',
  'PROMPT_FILE_NOT_FOUND',
  'PROMPT_FILE_UNREADABLE',
  'PROMPT_FILE_BINARY',
  'PROMPT_TOO_LARGE',
  'SESSION_NOT_FOUND',
  'SESSION_AMBIGUOUS',
  'SESSION_ID_INVALID',
]);

const stderr = (text: string): void => void process.stderr.write(redact(text));

async function main(argv: string[]): Promise<void> {
  const parsed = parseArguments(argv);
  if (!parsed.ok) return fail(parsed.error.message, EXIT_CODES.usage);
  const { options, warnings, command } = parsed;
  addSecret(options.apiKey);
  addSecretSource(storedSecrets(process.env, agentDir(process.env, process.cwd())));
  for (const warning of warnings) stderr(`pi: ${warning}\n`);
  if (command) {
    const { runSubcommand } = await import('./app/subcommands.js');
    return leave(await runSubcommand(command, { env: process.env, cwd: process.cwd(), stderr }));
  }
  if (options.version) return leave(EXIT_CODES.ok, `${VERSION}\n`);
  if (options.help) {
    const { renderHelp } = await import('./modes/cli/help.js');
    return leave(EXIT_CODES.ok, renderHelp(VERSION));
  }
  if (options.listModels !== undefined) {
    const { listModels } = await import('./app/list-models.js');
    return leave(EXIT_CODES.ok, await listModels(options.listModels, options, { env: process.env, cwd: process.cwd(), stderr }));
  }
  if (options.export !== undefined) {
    const { exportCommand } = await import('./app/export-command.js');
    return leave(
      EXIT_CODES.ok,
      await exportCommand(options.export, parsed.messages[0], { env: process.env, cwd: process.cwd(), stderr }),
    );
  }
  // Programs started from here can tell where they run. Source: environment-variables document.
  process.env.PI_CODING_AGENT = 'true';
  const { runOneShot, runRpcMode } = await import('./app/run-modes.js');
  const log = loggerFromEnv('core', process.env, stderr);
  const mode = { parsed, argv, env: process.env, cwd: process.cwd(), version: VERSION, log, stderr };
  if (options.mode === 'rpc') return runRpcMode(mode);
  return runOneShot(mode, options.mode === 'json' ? 'json' : 'text');
}

function fail(message: string, code: number): void {
  stderr(`pi: ${message}\n`);
  leave(code);
}

/** Ends with `code`; text goes out whole first. */
function leave(code: number, text = ''): void {
  process.exitCode = code;
  if (text !== '') process.stdout.write(text);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const usage = isCoded(error) && USAGE_CODES.has(error.code);
  stderr(`pi: ${messageOf(error)}\n`);
  process.exit(usage ? EXIT_CODES.usage : EXIT_CODES.failure);
});
