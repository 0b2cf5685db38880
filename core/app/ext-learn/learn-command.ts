import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LineReader } from '../../base/jsonl.js';
import { expandHome, homeDir } from '../../resources/agent-dir.js';
import { EXIT_CODES } from '../process-end.js';
import type { ExtCommandIo } from './ext-command-io.js';
import { summarize, type Used } from './summarize-uses.js';

const RUN_MS = 5 * 60 * 1_000;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

type Fields = Record<string, unknown>;

/** Runs `pi ext learn <extension> --drive <file>`. Gives the exit code. */
export async function runLearnCommand(args: readonly string[], io: ExtCommandIo, usage: string): Promise<number> {
  const at = args.indexOf('--drive');
  const drive = at < 0 ? undefined : args[at + 1];
  const [extension, ...more] = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  if (args.includes('--help')) {
    io.stdout(usage);
    return EXIT_CODES.ok;
  }
  if (extension === undefined || more.length > 0 || (at >= 0 && drive === undefined)) {
    io.stderr(`pi ext: learn needs an extension, and --drive with a file of prompts and commands\n${usage}`);
    return EXIT_CODES.usage;
  }
  const home = homeDir(io.env);
  const given = path.resolve(io.cwd, expandHome(extension, home));
  const driveFile = drive === undefined ? undefined : path.resolve(io.cwd, expandHome(drive, home));
  for (const one of [given, driveFile]) {
    if (one === undefined || existsSync(one)) continue;
    io.stderr(`pi ext: there is no ${one}\n`);
    return EXIT_CODES.failure;
  }
  const lines =
    driveFile === undefined
      ? []
      : readFileSync(driveFile, 'utf8')
          .split(/\r?\n/)
          .filter((line) => line.trim() !== '');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-learn-'));
  const report = path.join(folder, 'uses.jsonl');
  try {
    const file = realpathSync(given);
    io.stderr(`pi ext: running ${file} with everything allowed\n`);
    const info = await drivePi({ file, report, lines, io });
    if (info === undefined || info.state !== 'ready') {
      io.stderr(`pi ext: the extension did not load: ${String(info?.reason ?? 'the program ended')}\n`);
      return EXIT_CODES.failure;
    }
    const uses = existsSync(report) ? parseUses(readFileSync(report, 'utf8')) : [];
    io.stdout(summarize(uses, info, { file, cwd: io.cwd, home, lines }));
    return EXIT_CODES.ok;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseUses(text: string): Used[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Used);
}

/** One session over rpc: each line is a prompt that is waited for. What `get_extensions` says of the extension at the end. */
function drivePi({
  file,
  report,
  lines,
  io,
}: {
  file: string;
  report: string;
  lines: readonly string[];
  io: ExtCommandIo;
}): Promise<Fields | undefined> {
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? '', '--mode', 'rpc', '--no-session', '--no-extensions', '--no-dialogs', '-e', file],
    {
      cwd: io.cwd,
      env: { ...io.env, PI_EXT_LEARN: JSON.stringify({ path: file, report }) },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve) => {
    let info: Fields | undefined;
    let isRunning = false;
    const waiting = [...lines];
    const say = (command: Fields): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
    const next = (): void => {
      const line = waiting.shift();
      say(line === undefined ? { id: 'info', type: 'get_extensions' } : { id: 'prompt', type: 'prompt', message: line });
    };
    const heard = (record: Fields): void => {
      if (record.type === 'agent_start') isRunning = true;
      if (record.type === 'agent_settled') {
        isRunning = false;
        next();
      }
      if (record.type !== 'response') return;
      if (record.id === 'begin') next();
      // A command of an extension is done when it is answered; a prompt when its run has settled.
      if (record.id === 'prompt') setImmediate(() => !isRunning && next());
      if (record.id === 'info') {
        const { extensions = [] } = (record.data ?? {}) as { extensions?: Fields[] };
        info = extensions.find((one) => one.path === file || realOf(String(one.path)) === file);
        child.stdin.end();
      }
    };
    const reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => heard(JSON.parse(line) as Fields),
      onTooLong: () => undefined,
    });
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stdin.on('error', () => undefined);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(info);
    });
    // It is answered when extensions have loaded.
    say({ id: 'begin', type: 'get_commands' });
  });
}

function realOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}
