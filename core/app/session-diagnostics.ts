import type { Diagnostic } from '../protocol/commands/state.js';
import type { FileProblem } from '../session/load.js';
import type { Session } from '../session/session.js';

const WHAT: Record<FileProblem['kind'], string> = {
  noise: 'is no record and was passed over',
  fused: 'holds records that ran into one another',
  torn: 'is half a record, as a crash leaves it',
};

/** What is to be told of a session that has just been opened: that it can only be read, and its damaged places, each with its line. */
export function sessionDiagnostics(session: Session): Diagnostic[] {
  const { file: path, problems, problemCount, lockedBy } = session;
  const found: Diagnostic[] = [];
  if (lockedBy)
    found.push({ kind: 'session', severity: 'warning', message: lockedBy.message, ...(path !== undefined && { path }) });
  if (path === undefined) return found;
  for (const { line, kind, bytes, recovered } of problems) {
    const more = recovered === 0 ? '' : `; ${recovered} of them could be read`;
    const message = `Line ${line} of the session (${bytes} bytes) ${WHAT[kind]}${more}`;
    found.push({ kind: 'session', severity: 'warning', message, path, line });
  }
  const untold = problemCount - problems.length;
  if (untold > 0) {
    found.push({ kind: 'session', severity: 'warning', message: `The session has ${untold} more damaged lines`, path });
  }
  return found;
}

/** The lines for a person: one for all damage, however much there is. */
export function sessionWarnings(session: Session): string[] {
  const { file, problemCount, lockedBy } = session;
  const lines = lockedBy ? [lockedBy.message] : [];
  if (file === undefined || problemCount === 0) return lines;
  const places = problemCount === 1 ? '1 damaged line' : `${problemCount} damaged lines`;
  return [
    ...lines,
    `The session ${file} has ${places}; all that could be read is there. To see and repair: pi session doctor ${file}`,
  ];
}
