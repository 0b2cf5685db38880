import { createInterface } from 'node:readline';
import { isCoded } from '../../../core/base/coded-error.js';
import { createSessionLock } from '../../../core/session/lock.js';
import { openSession, type Session } from '../../../core/session/session.js';

/**
 * Run by the tests as a program of its own: does what the lines on stdin say, answers each with a line.
 *   open FILE       opens the session
 *   say TEXT        appends a message: its id, or the code of the error
 *   take FILE AT    at that time (ms): opens, says who it is, and keeps the session: `won` or the code of the error
 *   dispose         closes what is open
 *   exit            ends the process without closing anything
 */
const lock = createSessionLock({ warn: (text) => answer(`warning ${text}`) });
let session: Session | undefined;
const answer = (text: string): void => void process.stdout.write(`${text}\n`);

function say(text: string): string {
  try {
    return session?.append({ type: 'message', message: { role: 'user', content: text, timestamp: 1 } }).id ?? 'nothing open';
  } catch (error) {
    return isCoded(error) ? error.code : String(error);
  }
}

function take(file: string, at: number): string {
  while (Date.now() < at) {} // all takers at the same moment
  session = openSession(file, { cwd: '/', lock });
  const said = say(`by ${process.pid}`);
  return said.startsWith('SESSION_') ? said : 'won';
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, first = '', second = ''] = line.split('\t');
  if (word === 'open') session = openSession(first, { cwd: '/', lock });
  if (word === 'exit') process.exit(0);
  if (word === 'dispose') session?.dispose();
  if (word === 'say') answer(say(first));
  else if (word === 'take') answer(take(first, Number(second)));
  else answer('done');
});
answer('ready');
