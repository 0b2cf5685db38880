import type { Subcommand } from '../modes/cli/subcommands.js';
import { writeStdout } from '../modes/print/transport.js';
import { runAuthCommand } from '../providers/auth-cli.js';
import { agentDir } from '../resources/agent-dir.js';
import { EXIT_CODES } from './process-end.js';

export interface SubcommandIo {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stderr: (text: string) => void;
}

/** Runs `pi <word> …` and gives the exit code. */
export async function runSubcommand(command: Subcommand, { env, cwd, stderr }: SubcommandIo): Promise<number> {
  if (command.name !== 'auth') {
    stderr(`pi: "pi ${command.name}" is not available in this version\n`);
    return EXIT_CODES.failure;
  }
  let text = '';
  const code = await runAuthCommand(command.args, {
    agentDir: agentDir(env, cwd),
    env,
    stdin: process.stdin,
    stdout: (part) => {
      text += part;
    },
    stderr,
  });
  if (text !== '') await writeStdout(text);
  // An open terminal or pipe on stdin must not keep the process alive.
  process.stdin.unref?.();
  return code;
}
