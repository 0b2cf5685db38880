import type { Subcommand } from '../modes/cli/subcommands.js';
import { writeStdout } from '../modes/print/transport.js';
import { runAuthCommand } from '../providers/auth-cli.js';
import { agentDir as agentDirOf } from '../resources/agent-dir.js';
import { EXIT_CODES } from './process-end.js';
import { runSessionCommand } from './session-command.js';

export interface SubcommandIo {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stderr: (text: string) => void;
}

/** Runs `pi <word> …` and gives the exit code. */
export async function runSubcommand(command: Subcommand, { env, cwd, stderr }: SubcommandIo): Promise<number> {
  let text = '';
  const stdout = (part: string): void => {
    text += part;
  };
  const io = { agentDir: agentDirOf(env, cwd), env, cwd, stdout, stderr };
  const code = await run(command, io);
  if (text !== '') await writeStdout(text);
  // An open terminal or pipe on stdin must not keep the process alive.
  process.stdin.unref?.();
  return code;
}

async function run(
  { name, args }: Subcommand,
  io: SubcommandIo & { agentDir: string; stdout: (text: string) => void },
): Promise<number> {
  switch (name) {
    case 'auth':
      return runAuthCommand(args, { ...io, stdin: process.stdin });
    case 'session':
      return runSessionCommand(args, io);
    case 'trust':
    case 'untrust':
      return (await import('./trust-command.js')).runTrustCommand(name, args, io);
    case 'install':
    case 'remove':
    case 'uninstall':
    case 'update':
    case 'list':
      return (await import('./packages/run-until-signal.js')).runUntilSignal(async (signal) =>
        (await import('./packages/packages-command.js')).runPackagesCommand(name, args, io, signal),
      );
    case 'config':
      return (await import('./packages/config-command.js')).runConfigCommand(args, io);
    case 'ext':
      return (await import('./ext-command.js')).runExtCommand(args, io);
    case 'doctor':
      return (await import('./doctor/doctor-command.js')).runDoctorCommand(args, io);
    default:
      io.stderr(`pi: "pi ${name}" is not available in this version\n`);
      return EXIT_CODES.failure;
  }
}
