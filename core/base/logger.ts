import { appendFileSync } from 'node:fs';
import { redact } from './secrets.js';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one JSON line per record, without what is known to be secret. Never give it file contents or prompts above debug. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** The same sink under another room's name. */
  child(room: string): Logger;
}

export interface LoggerOptions {
  room: string;
  level: LogLevel;
  write: (line: string) => void;
  now?: () => Date;
}

/** A logger that writes lines of `{time, level, room, message, ...fields}` up to `level`. */
export function createLogger(options: LoggerOptions): Logger {
  const { room, level, write, now = () => new Date() } = options;
  const limit = LOG_LEVELS.indexOf(level);
  const at =
    (own: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (LOG_LEVELS.indexOf(own) > limit) return;
      write(redact(`${JSON.stringify({ time: now().toISOString(), level: own, room, message, ...fields })}\n`));
    };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (name) => createLogger({ ...options, room: name }),
  };
}

/** The environment's wishes: `PI_LOG` (error, warn, info, debug; default warn) and `PI_LOG_FILE` (default stderr). */
export function loggerFromEnv(room: string, env: NodeJS.ProcessEnv, stderr: (line: string) => void): Logger {
  const wanted = env.PI_LOG?.toLowerCase();
  const level = LOG_LEVELS.find((name) => name === wanted) ?? 'warn';
  const file = env.PI_LOG_FILE;
  const logger = createLogger({ room, level, write: file ? fileWriter(file, stderr) : stderr });
  if (wanted && wanted !== level) logger.warn(`PI_LOG=${wanted} is not a level; using ${level}`, { levels: LOG_LEVELS });
  return logger;
}

function fileWriter(file: string, stderr: (line: string) => void): (line: string) => void {
  let broken = false;
  return (line) => {
    if (!broken) {
      try {
        appendFileSync(file, line, { mode: 0o600 });
        return;
      } catch (error) {
        broken = true;
        stderr(`pi: cannot write the log file ${file} (${(error as Error).message}); logging to stderr\n`);
      }
    }
    stderr(line);
  };
}
