import { CodedError } from '../base/coded-error.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import { SESSION_ERRORS } from './errors.js';
import { createSession, type NewSessionOptions, type Session } from './session.js';
import { storedText } from './stored-message.js';

export interface ForkOptions extends Omit<NewSessionOptions, 'parentSession'> {
  /**
   * `before`: the branch up to, and without, the user message `entryId` (command `fork`). `at`: the branch up to and with
   * `entryId`, default the leaf (command `clone`). `all`: every entry (`--fork`).
   */
  position: 'before' | 'at' | 'all';
  entryId?: string | undefined;
}

/**
 * A new session with entries of another one, their ids and timestamps kept, and `parentSession` naming where they come from.
 * Its file is written at once when there is a message in it. `text` is what the user said in the message a fork starts at.
 * Throws SESSION_FORK_INVALID_ENTRY, SESSION_ENTRY_NOT_FOUND, SESSION_UNSAVED, SESSION_WRITE_FAILED. The caller disposes the
 * new session. Source: rpc-mode document, `fork` and `clone`; transcripts.
 */
export function forkSession(source: Session, options: ForkOptions): { session: Session; text: string } {
  const { position, entryId, ...rest } = options;
  if (position === 'at' && source.file !== undefined && !source.isSaved) {
    throw new CodedError(SESSION_ERRORS.SESSION_UNSAVED, 'The session has no message yet: there is nothing to copy');
  }
  const start = position === 'before' ? startOf(source, entryId) : undefined;
  const entries =
    start !== undefined ? branchBefore(source, start.entry) : position === 'all' ? source.entries() : source.branch(entryId);
  const parentSession = source.isSaved ? source.file : undefined;
  const session = createSession({ ...rest, parentSession });
  try {
    session.adopt(entries);
  } catch (error) {
    session.dispose();
    throw error;
  }
  return { session, text: start?.text ?? '' };
}

function startOf(source: Session, entryId: string | undefined): { entry: StoredEntry; text: string } {
  const entry = entryId === undefined ? undefined : source.getEntry(entryId);
  const message = entry?.message;
  const isUser =
    entry?.type === 'message' && typeof message === 'object' && message !== null && 'role' in message && message.role === 'user';
  if (!isUser) {
    throw new CodedError(
      SESSION_ERRORS.SESSION_FORK_INVALID_ENTRY,
      'Invalid entry ID for forking: it must be that of a user message',
      {
        data: { entryId },
      },
    );
  }
  return { entry, text: storedText(entry) };
}

function branchBefore(source: Session, entry: StoredEntry): StoredEntry[] {
  const parent = source.parentOf(entry.id);
  return parent === null ? [] : source.branch(parent);
}
