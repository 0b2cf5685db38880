import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A home and a project for one test, which nothing of the user's reaches into. */
export interface TestHome {
  /** The project: where the session runs. */
  cwd: string;
  home: string;
  agentDir: string;
  /** The environment of the session: little more than PATH. */
  env: NodeJS.ProcessEnv;
  remove(): void;
}

export interface TestHomeOptions {
  /** Files of the project: path -> text. */
  files?: Readonly<Record<string, string>>;
  /** Files of the home, as `.pi/agent/skills/x/SKILL.md`. */
  homeFiles?: Readonly<Record<string, string>>;
  /** What `settings.json` says besides which model is used. */
  settings?: Readonly<Record<string, unknown>>;
  /** Variables of the session's environment. */
  env?: Readonly<Record<string, string>>;
}

export const SCRIPTED = 'scripted';

/** Makes it in the folder for temporary files; `modelUrl` is where the scripted model listens. */
export function createTestHome(modelUrl: string, options: TestHomeOptions): TestHome {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'pi-test-')));
  const home = path.join(root, 'home');
  const agentDir = path.join(home, '.pi', 'agent');
  const cwd = path.join(root, 'project');
  const tmp = path.join(root, 'tmp');
  for (const folder of [agentDir, cwd, tmp]) mkdirSync(folder, { recursive: true });
  const cost = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };
  const model = { id: SCRIPTED, reasoning: false, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 8_192, cost };
  const provider = { baseUrl: modelUrl, api: 'anthropic-messages', apiKey: 'no-key', models: [model] };
  writeJson(path.join(agentDir, 'models.json'), { providers: { [SCRIPTED]: provider } });
  // A test of what happens after an error does not wait for it.
  const retry = { enabled: true, maxRetries: 2, baseDelayMs: 10 };
  const settings = { defaultProvider: SCRIPTED, defaultModel: SCRIPTED, retry, ...options.settings };
  writeJson(path.join(agentDir, 'settings.json'), settings);
  writeAll(cwd, options.files);
  writeAll(home, options.homeFiles);
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    TMPDIR: tmp,
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    PI_OFFLINE: '1',
    NO_PROXY: '127.0.0.1',
    ...options.env,
  };
  return { cwd, home, agentDir, env, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

function writeAll(folder: string, files: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.resolve(folder, name);
    if (!file.startsWith(`${folder}${path.sep}`)) throw new Error(`${name} is not a path within the folder of the test`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const writeJson = (file: string, value: unknown): void => writeFileSync(file, JSON.stringify(value, null, 2));
