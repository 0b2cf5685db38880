import { writeSync } from 'node:fs';
import { isCoded } from '../../../core/base/coded-error.js';
import { createSessionLock } from '../../../core/session/lock.js';
import { openSession, type Session } from '../../../core/session/session.js';

/**
 * Run by the tests as a program of its own: appends to a session file as fast as it can and tells each id on stdout after its
 * record was written. Arguments: what to do, the file, the size of records, how many.
 *   flood    appends records of up to that size until it is killed
 *   fill     appends until it can't, tells the error, how many there are and the leaf, then appends one that still fits
 *   turns    opens, appends a few and closes, again and again, whoever else does the same, until it has written so many
 *   unlocked appends so many without any lock
 */
const [what = '', file = '', bytes = '', count = ''] = process.argv.slice(2);
const lock = what === 'unlocked' ? undefined : createSessionLock({ warn: (text) => tell(`failed ${text}`) });
const open = (): Session => openSession(file, { cwd: process.cwd(), lock });
const tell = (text: string): void => void writeSync(1, `${text}\n`);
let serial = 0;

/** The text tells its own length, so that half of it is seen to be half. */
function append(session: Session, size: number): void {
  const content = `${serial++} ${size} ${'x'.repeat(size)}`;
  tell(session.append({ type: 'message', message: { role: 'user', content, timestamp: serial } }).id);
}

function flood(): void {
  for (const session = open(); ; ) append(session, Math.floor(Math.random() ** 8 * Number(bytes)));
}

function fill(): void {
  const session = open();
  try {
    for (;;) append(session, Number(bytes));
  } catch (error) {
    tell(`failed ${isCoded(error) ? error.code : String(error)} ${session.entryCount} ${session.leafId}`);
  }
  // A record that still fits is taken after the failure.
  if (session.isSaved) append(session, 1);
  session.dispose();
}

function turns(): void {
  while (serial < Number(count)) {
    const session = open();
    if (!session.lockedBy) for (let n = 0; n < 5; n++) append(session, Number(bytes));
    session.dispose();
  }
}

try {
  if (what === 'flood') flood();
  if (what === 'fill') fill();
  if (what === 'turns') turns();
  if (what === 'unlocked') for (const session = open(); serial < Number(count); ) append(session, Number(bytes));
} catch (error) {
  tell(`failed ${String(error)}`);
}
