#!/usr/bin/env node
// How long the search for skills and templates takes.
//   node bench/resources/run.mjs [--node <path of a node>] [--pi <path of cli.js>] [--runs 15] [--skills 1000] [--templates 1000]
// Starts the program as `--mode rpc`, waits for its first answer, then times the first get_commands (which searches), the second (which does not)
// and a prompt's answer by the offline model with and without them. Prints min / median / max in milliseconds. Files are in the page cache.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const argument = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const node = argument('node', process.execPath);
const cli = argument('pi', fileURLToPath(new URL('../../dist/cli.js', import.meta.url)));
const runs = Number(argument('runs', '15'));
const counts = { skills: Number(argument('skills', '1000')), templates: Number(argument('templates', '1000')) };

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-bench-'));
const withResources = path.join(root, 'with');
const without = path.join(root, 'without');
for (const home of [withResources, without]) fs.mkdirSync(path.join(home, '.pi/agent'), { recursive: true });
const body = 'Do this, then that, and say what came of it.\n'.repeat(60);
for (let at = 0; at < counts.skills; at += 1) {
  const folder = path.join(withResources, `.pi/agent/skills/skill-${at}`);
  fs.mkdirSync(folder, { recursive: true });
  const head = `name: skill-${at}\ndescription: Does the work number ${at}. Use when the user asks for it.`;
  fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\n${head}\n---\n${body}`);
}
fs.mkdirSync(path.join(withResources, '.pi/agent/prompts'), { recursive: true });
for (let at = 0; at < counts.templates; at += 1) {
  fs.writeFileSync(
    path.join(withResources, `.pi/agent/prompts/template-${at}.md`),
    `---\ndescription: Template ${at}\n---\n${body}`,
  );
}

class Program {
  #lines = [];
  #waiting;
  constructor(home) {
    const env = { ...process.env, HOME: home, PI_OFFLINE: '1' };
    const args = [cli, '--mode', 'rpc', '--no-session', '--provider', 'offline', '--model', 'offline'];
    this.child = spawn(node, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'inherit'] });
    let rest = '';
    this.child.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.#lines.push(...lines.map((line) => JSON.parse(line)));
      this.#waiting?.();
    });
  }
  /** Milliseconds from sending a command to the record of this type. */
  async time(command, type) {
    const began = performance.now();
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
    for (;;) {
      const at = this.#lines.findIndex((record) => record.type === type);
      if (at >= 0) {
        this.#lines.splice(0, at + 1);
        return performance.now() - began;
      }
      await new Promise((resolve) => {
        this.#waiting = resolve;
      });
    }
  }
  async end() {
    this.child.stdin.end();
    await new Promise((resolve) => this.child.once('close', resolve));
  }
}

const samples = new Map();
const note = (name, ms) => samples.set(name, [...(samples.get(name) ?? []), ms]);
for (let run = 0; run < runs + 2; run += 1) {
  for (const [home, what] of [
    [withResources, `${counts.skills} skills, ${counts.templates} templates`],
    [without, 'nothing to find'],
  ]) {
    const pi = new Program(home);
    await pi.time({ type: 'get_state' }, 'response');
    const first = await pi.time({ type: 'get_commands' }, 'response');
    const second = await pi.time({ type: 'get_commands' }, 'response');
    await pi.time({ type: 'prompt', message: 'hello' }, 'agent_settled');
    const prompt = await pi.time({ type: 'prompt', message: 'hello' }, 'agent_settled');
    await pi.end();
    // The first two fill the caches.
    if (run < 2) continue;
    note(`first get_commands, ${what}`, first);
    note(`second get_commands, ${what}`, second);
    note(`second prompt, ${what}`, prompt);
  }
}
fs.rmSync(root, { recursive: true, force: true });

console.log(`${node} ${cli}, ${runs} runs`);
for (const [name, values] of samples) {
  const sorted = values.sort((a, b) => a - b);
  const pick = (share) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  console.log(`${name}: ${pick(0)} / ${pick(0.5)} / ${pick(1)} ms`);
}
