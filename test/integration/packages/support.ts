import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { NpmRegistry, type TestPackage } from '../../support/npm-registry.js';
import { createSandbox, type Json, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

export const SKILL = (name: string): string => `---\nname: ${name}\ndescription: says ${name}\n---\nDo ${name}.\n`;

/** A package with one skill `<name>-skill` and one template `<name>-prompt`. */
export function simplePackage(name: string, version: string, manifest: object = {}): TestPackage {
  const word = name.replace(/\W+/g, '');
  return {
    manifest: { name, version, ...manifest },
    files: {
      [`skills/${word}-skill/SKILL.md`]: SKILL(`${word}-skill`),
      [`prompts/${word}-prompt.md`]: `Prompt of ${name} ${version}\n`,
    },
  };
}

/** A home, a folder to work in and a registry; `run` is the shipped program, with the network on and npm's cache in the sandbox. */
export class PackageWorld {
  readonly env: NodeJS.ProcessEnv;

  private constructor(
    readonly sandbox: Sandbox,
    readonly registry: NpmRegistry,
  ) {
    this.env = {
      PI_OFFLINE: '',
      npm_config_registry: registry.url,
      npm_config_cache: path.join(sandbox.root, 'npm-cache'),
      GIT_CONFIG_NOSYSTEM: '1',
    };
  }

  static async open(): Promise<PackageWorld> {
    const sandbox = createSandbox({ settings: { defaultProvider: 'offline', defaultModel: 'offline' } });
    return new PackageWorld(sandbox, await NpmRegistry.start());
  }

  async close(): Promise<void> {
    await this.registry.close();
    this.sandbox.remove();
  }

  run(args: string[], env: NodeJS.ProcessEnv = {}): ReturnType<typeof runPi> {
    return runPi(this.sandbox, args, { env: { ...this.env, ...env } });
  }

  start(args: string[], env: NodeJS.ProcessEnv = {}): PiProcess {
    return new PiProcess(this.sandbox, args, { ...this.env, ...env });
  }

  /** Names of the slash commands of a session, those that come from `args` and the settings. */
  async commands(args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<string[]> {
    const { commands } = await this.session(args, env);
    return commands.map((command: Json) => command.name);
  }

  async session(
    args: string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ commands: Json[]; diagnostics: Json[]; stderr: string }> {
    const pi = this.start(['--mode', 'rpc', '--no-session', ...args], env);
    const { data } = await pi.request({ type: 'get_commands' });
    const problems = await pi.request({ type: 'get_diagnostics' });
    await pi.end();
    return { commands: data.commands, diagnostics: problems.data.diagnostics, stderr: pi.stderr };
  }

  agentFile(name: string): string {
    return path.join(this.sandbox.agentDir, name);
  }

  settings(): Json {
    return JSON.parse(fs.readFileSync(this.agentFile('settings.json'), 'utf8'));
  }

  lock(base = this.sandbox.agentDir): Json {
    return JSON.parse(fs.readFileSync(path.join(base, 'packages-lock.json'), 'utf8'));
  }

  /** Everything installed: each file by path with its content, but what npm notes for itself. */
  installed(base = this.sandbox.agentDir): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of fs.readdirSync(base, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(base, name);
      if (/^(?:npm|git|packages-lock|settings)/.test(name) && fs.statSync(file).isFile())
        found[name] = fs.readFileSync(file, 'utf8');
    }
    return found;
  }

  /** A repository with one commit; gives its folder. */
  repository(name: string, files: Record<string, string>): string {
    const folder = path.join(this.sandbox.root, 'repos', name);
    fs.mkdirSync(folder, { recursive: true });
    this.git(folder, 'init', '-q', '-b', 'main');
    this.commit(folder, files);
    return folder;
  }

  /** Gives the id of the commit. */
  commit(folder: string, files: Record<string, string>): string {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    this.git(folder, 'add', '-A');
    this.git(folder, 'commit', '-q', '-m', 'x');
    return this.git(folder, 'rev-parse', 'HEAD');
  }

  git(folder: string, ...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: this.sandbox.home },
    }).trim();
  }

  write(name: string, text: string): void {
    const file = path.join(this.sandbox.cwd, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
}
