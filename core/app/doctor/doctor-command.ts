import { existsSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../base/coded-error.js';
import { homeDir } from '../../resources/agent-dir.js';
import { loadSettings } from '../../resources/settings.js';
import { probe } from '../ext-kit/probe.js';
import type { ExtCommandIo } from '../ext-learn/ext-command-io.js';
import { EXIT_CODES } from '../process-end.js';
import { parseSubcommand } from '../subcommand-args.js';
import { checkCache, checkDisk, checkFolders, checkNode, checkProxy, checkSandbox } from './check-machine.js';
import { checkSessionParts } from './check-session-parts.js';
import { checkSessions } from './check-sessions.js';
import { type DoctorPlace, type Finding, fail } from './finding.js';

const USAGE = `Usage: pi doctor [--json]

Looks at everything a session here would use, a line for each thing: ok, warn or fail, and what to do. It starts the
extensions, as a session does, and keeps no session.
Exit codes: 0 nothing fails; 1 something does; 2 wrong call.
`;

/** Runs `pi doctor`. Gives the exit code. */
export async function runDoctorCommand(args: readonly string[], io: ExtCommandIo): Promise<number> {
  const parsed = parseSubcommand(args, { flags: { '--json': 'json' }, maxWords: 0 });
  if (parsed === 'help') {
    io.stdout(USAGE);
    return EXIT_CODES.ok;
  }
  if ('problem' in parsed) {
    io.stderr(`pi doctor: ${parsed.problem}\n${USAGE}`);
    return EXIT_CODES.usage;
  }
  const findings = await examine(io);
  io.stdout(parsed.flags.has('json') ? `${JSON.stringify({ findings }, null, 2)}\n` : findings.map(lineOf).join(''));
  return findings.some(({ status }) => status === 'fail') ? EXIT_CODES.failure : EXIT_CODES.ok;
}

async function examine(io: ExtCommandIo): Promise<Finding[]> {
  const { agentDir, cwd, env } = io;
  const place: DoctorPlace = { agentDir, cwd, env, home: homeDir(env) };
  const { settings } = loadSettings({ agentDir, cwd, projectTrusted: false });
  const files = [agentDir, path.join(cwd, '.pi')]
    .map((folder) => path.join(folder, 'settings.json'))
    .filter((file) => existsSync(file));
  // Reading keys takes rights to them away from others: what they were is looked at before.
  const machine = [checkNode(process.versions.node), ...checkFolders(place)];
  const inSession = await probe({ io }).then(
    (found) => checkSessionParts(found, files),
    (error: unknown) => [fail('session', `No session can be started here: ${messageOf(error)}`, 'do what it says')],
  );
  return [
    ...machine,
    ...inSession,
    await checkSandbox(env),
    checkCache(place),
    checkProxy(env, settings.httpProxy),
    checkSessions(place, settings.sessionDir),
    checkDisk(place, settings.sessionDir),
  ];
}

const WIDTH = 'agent folder'.length;

function lineOf({ check, status, message, fix }: Finding): string {
  const text = `${status.padEnd(4)}  ${check.padEnd(WIDTH)}  ${message}`.replaceAll(/\s*\n\s*/g, ' ');
  return `${text}${fix === undefined ? '' : `. To mend it: ${fix}`}\n`;
}
