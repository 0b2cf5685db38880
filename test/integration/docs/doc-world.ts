import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { CLI, createSandbox, type Json, PiProcess, type Sandbox, type SandboxOptions } from '../../support/pi-process.js';

export interface ShellResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A home and a project where the commands of a document are run, with `pi` on the PATH. */
export class DocWorld {
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;

  constructor(options: SandboxOptions = {}) {
    this.sandbox = createSandbox({
      ...options,
      settings: { defaultProvider: 'offline', defaultModel: 'offline', ...options.settings },
      files: { 'src/main.ts': 'export const answer = 42;\n', ...options.files },
    });
    const bin = path.join(this.sandbox.root, 'bin');
    fs.mkdirSync(bin);
    fs.symlinkSync(CLI, path.join(bin, 'pi'));
    const PATH = [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
    this.env = { ...this.sandbox.env, NO_COLOR: '1', PATH };
  }

  /** In the project, or in the home where the name begins with `~/`. Gives the path. */
  write(name: string, text: string): string {
    const file = name.startsWith('~/') ? path.join(this.sandbox.home, name.slice(2)) : path.resolve(this.sandbox.cwd, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }

  run(line: string, stdin = ''): Promise<ShellResult> {
    const child = spawn('sh', ['-c', line], { cwd: this.sandbox.cwd, env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  }

  rpc(...args: string[]): PiProcess {
    return new PiProcess(this.sandbox, ['--mode', 'rpc', '--no-session', ...args], this.env);
  }

  remove(): void {
    this.sandbox.remove();
  }
}

/** What `get_extensions` says, when they have loaded, of those that do not come with the program. */
export async function extensionsOf(pi: PiProcess): Promise<Json[]> {
  await pi.request({ type: 'get_commands' });
  const { data } = await pi.request({ type: 'get_extensions' });
  return data.extensions.filter(({ source }: Json) => source !== 'builtin');
}

/**
 * Plays a transcript: sends its `>` lines, and waits for a record like each of its `<` lines. `…` stands for anything; in a `>` line it stands
 * for the id of the last record that had one of its own.
 */
export async function play(pi: PiProcess, transcript: string): Promise<void> {
  let lastId: unknown;
  let from = 0;
  for (const line of transcript.split('\n').filter((one) => one !== '')) {
    const record: Json = JSON.parse(line.slice(2));
    if (line.startsWith('> ')) {
      pi.send(record.id === '…' ? { ...record, id: lastId } : record);
    } else if (line.startsWith('< ')) {
      const found = await pi.find((one) => isLike(one, record), from);
      from = pi.records.indexOf(found) + 1;
      if (found.type === 'extension_ui_request') lastId = found.id;
    } else throw new Error(`Neither > nor <: ${line}`);
  }
}

function isLike(value: Json, wanted: Json): boolean {
  if (wanted === '…') return value !== undefined;
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  return typeof value === 'object' && value !== null && Object.keys(wanted).every((key) => isLike(value[key], wanted[key]));
}
