import { statSync } from 'node:fs';
import path from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import { expandHome, homeDir } from '../resources/agent-dir.js';
import { projectParts, realFolder } from '../trust/project-parts.js';
import { describeChanges, pinChanges, pinContent, readPin, writePin } from '../trust/project-pin.js';
import { pinProject } from '../trust/project-trust.js';
import { nearestDecision, readTrust, writeTrust } from '../trust/trust-record.js';
import { pinnedPlaces } from './pinned-places.js';
import { EXIT_CODES } from './process-end.js';
import { parseSubcommand } from './subcommand-args.js';

export interface TrustCommandIo {
  agentDir: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

const USAGE = `Usage: pi trust [path] [--pin]    let sessions load what the project brings; --pin: only as it is now
       pi trust --list [--json]   the decisions, and whether pinned projects changed
       pi untrust [path]          do not let them
       pi untrust [path] --forget take the decision back; that of a folder above it counts then, or the settings

The path is this folder unless given. A decision about a folder holds for the folders in it, a pin for itself alone.
Exit codes: 0 done; 1 a failure, or with --list a pinned project that changed; 2 wrong call.
`;

const RULES = {
  trust: { flags: { '--pin': 'pin', '--list': 'list', '--json': 'json' }, maxWords: 1 },
  untrust: { flags: { '--forget': 'forget' }, maxWords: 1 },
};

/** Runs `pi trust …` or `pi untrust …`; `args` without the command. Gives the exit code. */
export async function runTrustCommand(
  command: 'trust' | 'untrust',
  args: readonly string[],
  io: TrustCommandIo,
): Promise<number> {
  const parsed = parseSubcommand(args, RULES[command]);
  if (parsed === 'help') {
    io.stdout(USAGE);
    return EXIT_CODES.ok;
  }
  const wrong = 'problem' in parsed ? parsed.problem : wrongMix(parsed.flags, parsed.words);
  if ('problem' in parsed || wrong !== undefined) {
    io.stderr(`pi ${command}: ${wrong}\n${USAGE}`);
    return EXIT_CODES.usage;
  }
  try {
    if (parsed.flags.has('list')) return await list(io, parsed.flags.has('json'));
    const given = path.resolve(io.cwd, expandHome(parsed.words[0] ?? '.', homeDir(io.env)));
    if (command === 'trust' && statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true) {
      io.stderr(`pi trust: ${given} is no folder\n`);
      return EXIT_CODES.failure;
    }
    const folder = realFolder(given);
    return await (command === 'trust'
      ? trust(folder, parsed.flags.has('pin'), io)
      : untrust(folder, parsed.flags.has('forget'), io));
  } catch (error) {
    if (!isCoded(error)) throw error;
    io.stderr(`pi ${command}: ${messageOf(error)}\n`);
    return EXIT_CODES.failure;
  }
}

function wrongMix(flags: ReadonlySet<string>, words: readonly string[]): string | undefined {
  if (flags.has('list') && (flags.has('pin') || words.length > 0)) return '--list stands alone';
  return flags.has('json') && !flags.has('list') ? '--json belongs to --list' : undefined;
}

async function trust(folder: string, isPinned: boolean, io: TrustCommandIo): Promise<number> {
  const { agentDir } = io;
  const place = { agentDir, cwd: folder, home: homeDir(io.env) };
  const parts = projectParts(place).map(({ name }) => name);
  const what = parts.length === 0 ? 'it brings nothing that needs trust yet' : `it brings ${parts.join(', ')}`;
  if (isPinned) {
    // The pin first: a kill in between must not leave a trust that is wider than was asked for.
    const files = await pinProject({ ...place, pinnedPlaces: () => pinnedPlaces(folder, place.home) }, folder);
    await writeTrust(agentDir, folder, true);
    io.stdout(`Trusted ${folder} as it is now (${count(Object.keys(files).length)}); ${what}\n`);
  } else {
    await writeTrust(agentDir, folder, true);
    const wasPinned = readPin(agentDir, folder) !== undefined;
    await writePin(agentDir, folder, undefined);
    io.stdout(`Trusted ${folder}${wasPinned ? ', no longer pinned' : ''}; ${what}\n`);
  }
  return EXIT_CODES.ok;
}

async function untrust(folder: string, isForgotten: boolean, io: TrustCommandIo): Promise<number> {
  const { agentDir } = io;
  const before = readTrust(agentDir).get(folder);
  await writeTrust(agentDir, folder, isForgotten ? undefined : false);
  await writePin(agentDir, folder, undefined);
  if (!isForgotten) {
    io.stdout(`Not trusted: ${folder}\n`);
    return EXIT_CODES.ok;
  }
  const above = nearestDecision(readTrust(agentDir), folder);
  const now = above
    ? `that of ${above.folder} counts: ${above.trusted ? 'trusted' : 'not trusted'}`
    : 'the setting defaultProjectTrust counts';
  io.stdout(
    before === undefined ? `There was no decision about ${folder}; ${now}\n` : `Forgot the decision about ${folder}; ${now}\n`,
  );
  return EXIT_CODES.ok;
}

async function list(io: TrustCommandIo, asJson: boolean): Promise<number> {
  const { agentDir, env } = io;
  const home = homeDir(env);
  const decisions = [...readTrust(agentDir)].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = await Promise.all(
    decisions.map(async ([folder, trusted]) => {
      const pin = trusted ? readPin(agentDir, folder) : undefined;
      if (!pin) return { folder, trusted };
      const now = await pinContent({ agentDir, cwd: folder, home }, pinnedPlaces(folder, home));
      return { folder, trusted, pinnedAt: pin.pinnedAt, changes: describeChanges(pinChanges(pin.files, now)) ?? null };
    }),
  );
  if (asJson) io.stdout(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) io.stderr('pi trust: nothing is decided about any project\n');
  else io.stdout(rows.map(rowText).join(''));
  return rows.some(({ changes }) => changes) ? EXIT_CODES.failure : EXIT_CODES.ok;
}

function rowText(row: { folder: string; trusted: boolean; pinnedAt?: string; changes?: string | null }): string {
  const { folder, trusted, pinnedAt, changes } = row;
  const pinned = pinnedAt === undefined ? '' : `, pinned ${pinnedAt.slice(0, 10)}`;
  const state = changes === undefined ? '' : changes === null ? ', unchanged' : `; ${changes}`;
  return `${trusted ? 'trusted    ' : 'not trusted'}  ${folder}${pinned}${state}\n`;
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
