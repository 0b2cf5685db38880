import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface SandboxOptions {
  /** Number of extensions, each with a command, a tool and a hook. */
  extensions?: number;
  /** They also listen to every `message_update`. */
  listening?: boolean;
  /** Number of skills, and of templates. */
  resources?: number;
}

/** A home of its own with a model, and a working directory. */
export interface Sandbox {
  home: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** How many commands `get_commands` has to list. */
  commands: number;
  remove(): void;
}

const extension = (index: number, listening: boolean): string => `
import { Type } from 'typebox';
let seen = 0;
export default function (pi: any) {
  pi.registerCommand('command-${index}', { description: 'A command', handler: async () => {} });
  pi.registerTool({ name: 'tool_${index}', label: 'Tool', description: 'A tool', parameters: Type.Object({ text: Type.String() }),
    execute: async () => ({ content: [{ type: 'text', text: String(seen) }] }) });
  pi.on('session_start', () => { seen++; });
  ${listening ? "pi.on('message_update', (event: any) => { seen += event.assistantMessageEvent.type.length; });" : ''}
}
`;

export function createSandbox(url: string, { extensions = 0, listening = false, resources = 0 }: SandboxOptions = {}): Sandbox {
  const root = mkdtempSync(path.join(os.tmpdir(), 'pi-bench-'));
  const home = path.join(root, 'home');
  const agent = path.join(home, '.pi/agent');
  const cwd = path.join(root, 'work');
  const tmp = path.join(home, 'tmp');
  for (const folder of [path.join(agent, 'extensions'), path.join(agent, 'prompts'), cwd, tmp])
    mkdirSync(folder, { recursive: true });
  const model = {
    id: 'bench',
    reasoning: false,
    input: ['text'],
    contextWindow: 1e9,
    maxTokens: 8192,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const providers = { bench: { baseUrl: url, api: 'anthropic-messages', apiKey: 'key', models: [model] } };
  const settings = { defaultProvider: 'bench', defaultModel: 'bench', compaction: { enabled: false } };
  writeFileSync(path.join(agent, 'models.json'), JSON.stringify({ providers }));
  writeFileSync(path.join(agent, 'settings.json'), JSON.stringify(settings));
  writeFileSync(path.join(cwd, 'three-lines.txt'), 'one\ntwo\nthree\n');
  for (let at = 0; at < extensions; at++)
    writeFileSync(path.join(agent, 'extensions', `extension-${at}.ts`), extension(at, listening));
  for (let at = 0; at < resources; at++) {
    const folder = path.join(agent, 'skills', `skill-${at}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'SKILL.md'), `---\nname: skill-${at}\ndescription: Does work number ${at}.\n---\nDo it.\n`);
    writeFileSync(path.join(agent, 'prompts', `template-${at}.md`), `---\ndescription: Template ${at}\n---\nDo $1.\n`);
  }
  const env = { HOME: home, TMPDIR: tmp, PATH: process.env.PATH, PI_OFFLINE: '1', NO_PROXY: '127.0.0.1' };
  return {
    home,
    cwd,
    env,
    commands: extensions + 2 * resources,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** A session of this many entries in one line; with `compacted`, all but the last 40 are summarised. */
export function writeSession(file: string, entries: number, cwd: string, compacted: boolean): void {
  let lines = [
    JSON.stringify({
      type: 'session',
      version: 3,
      id: '01900000-0000-7000-8000-000000000000',
      timestamp: new Date(0).toISOString(),
      cwd,
    }),
  ];
  const id = (at: number): string => at.toString(16).padStart(8, '0');
  const usage = {
    input: 1,
    output: 1,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  writeFileSync(file, '');
  // In parts: a file may be longer than a string can be.
  const flush = (): void => {
    appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
    lines = [];
  };
  for (let at = 0; at < entries; at++) {
    if (lines.length > 50_000) flush();
    const head = { id: id(at), parentId: at === 0 ? null : id(at - 1), timestamp: new Date(at).toISOString() };
    const text = `${at} ${'lorem ipsum dolor sit amet '.repeat(12)}`;
    if (compacted && at === entries - 38)
      lines.push(
        JSON.stringify({ type: 'compaction', ...head, summary: 'All before.', firstKeptEntryId: id(at - 2), tokensBefore: 9 }),
      );
    else if (at % 2 === 0)
      lines.push(
        JSON.stringify({ type: 'message', ...head, message: { role: 'user', content: [{ type: 'text', text }], timestamp: at } }),
      );
    else
      lines.push(
        JSON.stringify({
          type: 'message',
          ...head,
          message: {
            role: 'assistant',
            content: [{ type: 'text', text }],
            api: 'anthropic-messages',
            provider: 'bench',
            model: 'bench',
            usage,
            stopReason: 'stop',
            timestamp: at,
          },
        }),
      );
  }
  flush();
}
