import fs from 'node:fs';
import path from 'node:path';
import { type FakeLlm, type FakeReply, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

/** A session whose model is scripted, with the sub-agents turned on; children have the offline model unless a test says otherwise. */
export interface World {
  llm: FakeLlm;
  sandbox: Sandbox;
  start(...args: string[]): PiProcess;
  /** The result of the one call of the tool, after a prompt. */
  call(pi: PiProcess, args: object, ...then: FakeReply[]): Promise<Json>;
  agent(name: string, members: Record<string, string>, prompt?: string): void;
  remove(): Promise<void>;
}

export async function createWorld(settings: object = {}): Promise<World> {
  const llm = await startFakeLlm();
  const sandbox = createSandbox({
    providers: fakeProviders(llm.url),
    settings: { extensions: ['builtin:sub-agents'], ...settings },
    files: { 'src/one.ts': 'export const one = 1;\n', 'notes.md': 'remember the milk\n' },
  });
  const world: World = {
    llm,
    sandbox,
    start: (...args) => new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--model', 'fake/plain', ...args]),
    async call(pi, args, ...then) {
      llm.push({ toolCalls: [{ name: 'subagent', args }] }, ...then, { text: 'done' });
      const events = await pi.prompt('go');
      return events.find(({ type }) => type === 'tool_execution_end');
    },
    agent(name, members, prompt = '') {
      const folder = path.join(sandbox.agentDir, 'agents');
      fs.mkdirSync(folder, { recursive: true });
      const lines = Object.entries(members).map(([key, value]) => `${key}: ${value}`);
      fs.writeFileSync(path.join(folder, `${name}.md`), `---\n${lines.join('\n')}\n---\n${prompt}\n`);
    },
    async remove() {
      await llm[Symbol.asyncDispose]();
      sandbox.remove();
    },
  };
  world.agent('helper', { description: 'Does what it can offline', model: 'offline/offline' });
  return world;
}

/** Every process of this sandbox but `except`, by what it was started with. Linux only. */
export function processesOf({ home }: Sandbox, ...except: (number | undefined)[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || except.includes(pid)) continue;
    try {
      const isOurs = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      const isZombie = / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
      if (isOurs && !isZombie) found.set(pid, fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
    } catch {
      // It ended while it was looked at.
    }
  }
  return found;
}

/** Looks again until it is so; the caller's time limit ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}
