import { existsSync } from 'node:fs';
import { CodedError } from '../base/coded-error.js';
import { agentDir as agentDirOf } from '../resources/agent-dir.js';
import { loadSettings } from '../resources/settings.js';
import { resolveSessionArg, sessionDirFor } from '../session/locate.js';
import { openSession } from '../session/session.js';
import { APP_ERRORS } from './errors.js';
import { exportSession } from './export-session.js';
import type { SubcommandIo } from './subcommands.js';

/** `pi --export <session> [output]`: the line to print. The session is only read. */
export async function exportCommand(arg: string, output: string | undefined, { env, cwd }: SubcommandIo): Promise<string> {
  const agentDir = agentDirOf(env, cwd);
  const { settings } = loadSettings({ agentDir, cwd, projectTrusted: false });
  const sessionDir = sessionDirFor({ agentDir, cwd, env, setting: settings.sessionDir });
  const file = resolveSessionArg(arg, { cwd, sessionDir, agentDir });
  if (!existsSync(file)) throw new CodedError(APP_ERRORS.USAGE, `There is no session file ${file}`);
  const session = openSession(file, { cwd, readOnly: true });
  try {
    return `Exported to: ${await exportSession(session, output, cwd)}\n`;
  } finally {
    session.dispose();
  }
}
