import { spawn } from 'node:child_process';
import { CodedError } from '../base/coded-error.js';
import { REGISTRY_ERRORS } from './registry-errors.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** A configured value, read: a shell command, or text with variables in it. */
export type EnvValue =
  | { kind: 'command'; command: string }
  | { kind: 'text'; parts: readonly ({ literal: string } | { variable: string })[] };

const TOKEN = /\$\$|\$!|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * Reads `!command`, `$VAR`, `${VAR}`, `$$` (a dollar) and `$!` (an exclamation mark); anything else stands for itself.
 * Source: models document, "Value Resolution".
 */
export function parseEnvValue(text: string): EnvValue {
  if (text.startsWith('!')) return { kind: 'command', command: text.slice(1).trim() };
  const parts: ({ literal: string } | { variable: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) parts.push({ literal: text.slice(end, match.index) });
    const variable = match[1] ?? match[2];
    parts.push(variable === undefined ? { literal: match[0].slice(1) } : { variable });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ literal: text.slice(end) });
  return { kind: 'text', parts };
}

/** Writes any text so that {@link parseEnvValue} reads it back as itself: a key that holds `$` or starts with `!` stays a key. */
export function escapeEnvValue(text: string): string {
  return text.replaceAll('$', '$$$$').replace(/^!/, '$$!');
}

/** The variables a value needs that are not set (or empty). */
export function missingVariables(text: string, env: Env): string[] {
  const value = parseEnvValue(text);
  if (value.kind === 'command') return [];
  return value.parts.flatMap((part) => ('variable' in part && !env[part.variable] ? [part.variable] : []));
}

export interface ResolveOptions {
  env: Env;
  /** What the value is, for error messages: `apiKey of provider "x"`. */
  what: string;
  /** How long a command may take, in milliseconds. */
  deadlineMs?: number;
}

/** The value, or undefined when a variable of it is missing. Throws `PROVIDER_KEY_COMMAND_FAILED`. */
export async function resolveEnvValue(text: string, options: ResolveOptions): Promise<string | undefined> {
  const value = parseEnvValue(text);
  if (value.kind === 'command') return runValueCommand(value.command, options);
  let out = '';
  for (const part of value.parts) {
    if ('literal' in part) out += part.literal;
    else {
      const found = options.env[part.variable];
      if (!found) return undefined;
      out += found;
    }
  }
  return out;
}

const DEFAULT_DEADLINE_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Runs a command in its own process group, so that at the deadline all it started ends with it. */
async function runValueCommand(
  command: string,
  { env, what, deadlineMs = DEFAULT_DEADLINE_MS }: ResolveOptions,
): Promise<string> {
  // The command itself is not quoted: it may hold a secret.
  const fail = (why: string, cause?: unknown): CodedError =>
    new CodedError(REGISTRY_ERRORS.KEY_COMMAND_FAILED, `The command for the ${what} ${why}`, { cause, data: { what } });
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = (error: CodedError): void => {
      clearTimeout(timer);
      if (child.pid !== undefined) killGroup(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
      reject(error);
    };
    const timer = setTimeout(() => end(fail(`took longer than ${deadlineMs} ms`)), deadlineMs);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (stdout.length > MAX_OUTPUT_BYTES) end(fail(`printed more than ${MAX_OUTPUT_BYTES} bytes`));
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (stderr.length < 2000) stderr += chunk;
    });
    child.on('error', (error) => end(fail('could not be started', error)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const printed = stdout.trim();
      if (code === 0 && printed !== '') resolve(printed);
      else if (code === 0) reject(fail('printed nothing'));
      else {
        const said = stderr.trim().split('\n')[0];
        reject(fail(`failed (${signal ?? `exit code ${code}`}${said ? `, ${said.slice(0, 200)}` : ''})`));
      }
    });
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Gone already is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
