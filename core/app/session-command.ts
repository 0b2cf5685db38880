import { resolve } from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import { loadSettings } from '../resources/settings.js';
import { checkSession, hasProblems, repairSession, type SessionReport, unlockSession } from '../session/doctor.js';
import { SESSION_ERRORS } from '../session/errors.js';
import { listAllSessions, listSessions, resolveSessionArg, sessionDirFor } from '../session/locate.js';
import type { SessionSummary } from '../session/summary.js';
import { EXIT_CODES } from './process-end.js';

export interface SessionCommandIo {
  agentDir: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const USAGE = `Usage: pi session list [--all] [--json]    sessions of this directory, or all of them, newest first
       pi session doctor <session> [--fix]  say what is wrong with a session file, and repair it
       pi session unlock <session>          remove the lock of a process that is gone, where that can't be seen

A session is named by its file or by part of its id. --session-dir <dir> looks in another directory.
Exit codes: 0 nothing wrong, or repaired; 1 problems, or a failure; 2 wrong call.
`;

/** Errors of a call that names no session, or more than one. */
const WRONG_CALL: ReadonlySet<string> = new Set([SESSION_ERRORS.SESSION_NOT_FOUND, SESSION_ERRORS.SESSION_AMBIGUOUS]);

/** Runs `pi session …`; `args` without the word `session`. Gives the exit code. */
export function runSessionCommand(args: readonly string[], io: SessionCommandIo): number {
  const { stdout, stderr } = io;
  const call = parseCall(args);
  if (call === 'help') {
    stdout(USAGE);
    return EXIT_CODES.ok;
  }
  if (typeof call === 'string') {
    stderr(`pi session: ${call}\n${USAGE}`);
    return EXIT_CODES.usage;
  }
  try {
    return call.run(call, io);
  } catch (error) {
    if (!isCoded(error)) throw error;
    stderr(`pi session: ${messageOf(error)}\n`);
    return WRONG_CALL.has(error.code) ? EXIT_CODES.usage : EXIT_CODES.failure;
  }
}

interface Call {
  run: (call: Call, io: SessionCommandIo) => number;
  session: string;
  flags: ReadonlySet<string>;
  sessionDir: string | undefined;
}

const ACTIONS: Readonly<Record<string, { run: Call['run']; flags: readonly string[]; takesSession: boolean }>> = {
  list: { run: list, flags: ['--all', '--json'], takesSession: false },
  doctor: { run: doctor, flags: ['--fix'], takesSession: true },
  unlock: { run: unlock, flags: [], takesSession: true },
};

/** What is to be done, `help`, or what is wrong with the call. */
function parseCall(args: readonly string[]): Call | string {
  const [name = '', ...rest] = args;
  if (['help', '--help', '-h'].includes(name) || rest.includes('--help') || rest.includes('-h')) return 'help';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) return name === '' ? 'say what to do' : `"${name}" is none of ${Object.keys(ACTIONS).join(', ')}`;
  const flags = new Set<string>();
  const words: string[] = [];
  let sessionDir: string | undefined;
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at] ?? '';
    if (arg === '--session-dir') {
      sessionDir = rest[++at];
      if (sessionDir === undefined) return '--session-dir needs a directory';
    } else if (action.flags.includes(arg)) flags.add(arg);
    else if (arg.startsWith('-')) return `${name} has no option ${arg}`;
    else words.push(arg);
  }
  const [session = ''] = words;
  if (action.takesSession && session === '') return `${name} needs a session: its file, or part of its id`;
  if (words.length > (action.takesSession ? 1 : 0)) return `${name} takes ${action.takesSession ? 'one session' : 'no argument'}`;
  return { run: action.run, session, flags, sessionDir };
}

function sessionDirOf({ sessionDir: flag }: Call, { agentDir, cwd, env }: SessionCommandIo): string {
  const { settings } = loadSettings({ agentDir, cwd, projectTrusted: false });
  return sessionDirFor({ agentDir, cwd, flag, env, setting: settings.sessionDir });
}

function fileOf(call: Call, io: SessionCommandIo): string {
  const { agentDir, cwd } = io;
  return resolve(cwd, resolveSessionArg(call.session, { cwd, sessionDir: sessionDirOf(call, io), agentDir }));
}

function doctor(call: Call, io: SessionCommandIo): number {
  const file = fileOf(call, io);
  const warn = (text: string): void => io.stderr(`pi session: ${text}\n`);
  const report = call.flags.has('--fix') ? repairSession(file, { cwd: io.cwd, warn }) : checkSession(file);
  io.stdout(textOf(report, call.flags.has('--fix')));
  return hasProblems(report) && !call.flags.has('--fix') ? EXIT_CODES.failure : EXIT_CODES.ok;
}

function textOf(report: SessionReport, isFixed: boolean): string {
  const { file, findings, entries, keptAt } = report;
  const lines = findings.map(({ line, severity, message }) => {
    const sentence = line === undefined ? message : `line ${line} ${message}`;
    return severity === 'note' ? `note: ${sentence}` : sentence;
  });
  const count = findings.filter(({ severity }) => severity === 'problem').length;
  const problems = count === 1 ? '1 problem' : `${count} problems`;
  const sound = entries === 1 ? '1 sound entry' : `${entries} sound entries`;
  if (count === 0) return `${[...lines, `${file}: nothing wrong, ${sound}`].join('\n')}\n`;
  if (!isFixed) return `${[...lines, `${file}: ${problems}, ${sound}. To repair: pi session doctor ${file} --fix`].join('\n')}\n`;
  const kept = keptAt === undefined ? '' : ` The file as it was is ${keptAt}`;
  return `${[...lines, `${file}: ${problems} repaired, ${sound}.${kept}`].join('\n')}\n`;
}

function unlock(call: Call, io: SessionCommandIo): number {
  const file = fileOf(call, io);
  const removed = unlockSession(file);
  io.stdout(removed === undefined ? `${file} is not locked\n` : `Removed the lock of ${file}: ${removed}\n`);
  return EXIT_CODES.ok;
}

function list(call: Call, io: SessionCommandIo): number {
  const dir = sessionDirOf(call, io);
  const all = call.flags.has('--all');
  const sessions = all ? listAllSessions(dir, io.agentDir) : listSessions(dir).filter(({ cwd }) => cwd === io.cwd);
  if (call.flags.has('--json')) io.stdout(`${JSON.stringify(sessions.map(toJson), null, 2)}\n`);
  else if (sessions.length > 0) io.stdout(sessions.map((session) => lineOf(session, all)).join(''));
  else
    io.stderr(
      `pi session: no sessions${all ? '' : ` of ${io.cwd}`} in ${dir}${all ? '' : '; --all shows those of other directories'}\n`,
    );
  return EXIT_CODES.ok;
}

function toJson(session: SessionSummary): object {
  const { modifiedMs, ...rest } = session;
  return { ...rest, modified: new Date(modifiedMs).toISOString() };
}

const MAX_WORDS = 60;

function lineOf(session: SessionSummary, withCwd: boolean): string {
  const { id, modifiedMs, messages, isEstimate, name, firstMessage = '', cwd } = session;
  const modified = new Date(modifiedMs);
  const date = new Date(modifiedMs - modified.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace('T', ' ');
  const count = `${isEstimate ? '~' : ''}${messages}`.padStart(6);
  const words = oneLine(firstMessage);
  const title = name === undefined ? words : `[${oneLine(name)}] ${words}`;
  return `${id}  ${date}  ${count}  ${withCwd ? `${oneLine(cwd)}  ` : ''}${title}`.trimEnd().concat('\n');
}

/** Beginning of a text that came from a file, without anything a terminal would obey. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  const letters = [...plain];
  return letters.length > MAX_WORDS ? `${letters.slice(0, MAX_WORDS - 1).join('')}…` : plain;
}
