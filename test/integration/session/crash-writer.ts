import { writeSync } from 'node:fs';
import { isCoded } from '../../../core/base/coded-error.js';
import { openSession } from '../../../core/session/session.js';

/**
 * Run by the tests as a program of its own: appends to the session file given until it is killed or can't. Each id is told on
 * stdout after its record was written; the second argument is the size of a record.
 */
const [file = '', bytes = '2000'] = process.argv.slice(2);
const session = openSession(file, { cwd: process.cwd() });
for (let n = 0; ; n++) {
  const content = `${n} ${'x'.repeat(Number(bytes))}`;
  try {
    const { id } = session.append({ type: 'message', message: { role: 'user', content, timestamp: n } });
    writeSync(1, `${id}\n`);
  } catch (error) {
    writeSync(1, `failed ${isCoded(error) ? error.code : String(error)} ${session.entryCount} ${session.leafId}\n`);
    if (n > 0) {
      // A record that still fits is taken after the failure.
      const { id } = session.append({ type: 'message', message: { role: 'user', content: 'small', timestamp: n } });
      writeSync(1, `${id}\n`);
    }
    break;
  }
}
