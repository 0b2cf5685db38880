import type { ParsedOptions } from '../modes/cli/option-table.js';
import { forkSession } from '../session/fork.js';
import { findById, findLatest, resolveSessionArg } from '../session/locate.js';
import { createSession, openSession, type Session } from '../session/session.js';
import type { LockSession } from '../session/session-file.js';

export interface FirstSessionOptions {
  options: ParsedOptions;
  cwd: string;
  agentDir: string;
  sessionDir: string;
  lock: LockSession;
  warn: (text: string) => void;
}

/**
 * The session the command line asks for: `--fork`, `--session`, `--session-id`, `--continue`, else a new one. Throws the coded errors
 * of core/session/locate.ts and of opening. Source: FACTS "Flags".
 */
export function openFirstSession({ options, cwd, agentDir, sessionDir, lock, warn }: FirstSessionOptions): Session {
  const { name } = options;
  const kept = options.noSession ? undefined : sessionDir;
  const resolveArg = (arg: string): string => resolveSessionArg(arg, { cwd, sessionDir, agentDir });
  const named = (session: Session): Session => {
    if (name !== undefined && session.name !== name.trim()) session.setName(name.trim());
    return session;
  };
  if (options.fork !== undefined) {
    const source = openSession(resolveArg(options.fork), { cwd, readOnly: true });
    try {
      return named(forkSession(source, { position: 'all', cwd, sessionDir: kept, id: options.sessionId, lock }).session);
    } finally {
      source.dispose();
    }
  }
  if (options.session !== undefined) return named(openSession(resolveArg(options.session), { cwd, lock }));
  const found =
    options.sessionId !== undefined
      ? findById(sessionDir, options.sessionId)
      : options.continue
        ? findLatest(sessionDir, cwd)
        : undefined;
  if (found !== undefined && kept !== undefined) return named(openSession(found, { cwd, lock }));
  if (options.sessionId !== undefined && kept !== undefined)
    warn(`No session has the id "${options.sessionId}"; a new one gets it.`);
  return createSession({ cwd, sessionDir: kept, id: options.sessionId, name: name?.trim(), lock });
}
