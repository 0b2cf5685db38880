import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { CodedError } from '../../../base/coded-error.js';
import { defaultShell } from '../../../base/platform.js';
import { expandHome } from '../../../resources/agent-dir.js';
import { CODING_AGENT_ERRORS } from './errors.js';

/** The shell commands run in, and what goes before the command itself. Throws PACKAGE_SHELL_NOT_FOUND. */
export function getShellConfig(customShellPath?: string): { shell: string; args: string[] } {
  if (customShellPath === undefined) return { shell: defaultShell(process.env), args: ['-c'] };
  const shell = expandHome(customShellPath, homedir());
  if (!existsSync(shell))
    throw new CodedError(CODING_AGENT_ERRORS.SHELL_NOT_FOUND, `Custom shell path not found: ${shell}`, { data: { shell } });
  return { shell, args: ['-c'] };
}
