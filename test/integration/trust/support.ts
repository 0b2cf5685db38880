import fs from 'node:fs';
import path from 'node:path';
import { createSandbox, type Json, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

/** A sandbox whose project brings one of everything; each would leave a mark if it were loaded. */
export function projectSandbox(settings: object = {}): Sandbox {
  return createSandbox({
    settings: { defaultProvider: 'offline', defaultModel: 'offline', ...settings },
    files: {
      '.pi/settings.json': JSON.stringify({ defaultProjectTrust: 'always', prompts: ['../more'], packages: ['../package'] }),
      '.pi/SYSTEM.md': 'You are the project.\n',
      '.pi/extensions/mark.js': `import fs from 'node:fs'; import path from 'node:path';
export default (pi) => { fs.writeFileSync(path.join(process.env.HOME, 'extension-ran'), ''); pi.registerCommand('from-extension', { handler() {} }); };\n`,
      '.pi/skills/from-skill/SKILL.md': '---\nname: from-skill\ndescription: d\n---\nx\n',
      '.pi/prompts/from-prompt.md': 'x\n',
      '.pi/agent/prompts/from-agent.md': 'x\n',
      '.agents/skills/from-agents/SKILL.md': '---\nname: from-agents\ndescription: d\n---\nx\n',
      'more/from-settings.md': 'x\n',
      'package/prompts/from-package.md': 'x\n',
    },
  });
}

export const ALL_COMMANDS = [
  'from-agent',
  'from-extension',
  'from-package',
  'from-prompt',
  'from-settings',
  'skill:from-agents',
  'skill:from-skill',
];

export function extensionRan(sandbox: Sandbox): boolean {
  return fs.existsSync(path.join(sandbox.home, 'extension-ran'));
}

/** What a session of the project loads, and what it says. */
export async function session(
  sandbox: Sandbox,
  args: string[] = [],
): Promise<{ commands: string[]; diagnostics: Json[]; stderr: string }> {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', ...args]);
  const { data } = await pi.request({ type: 'get_commands' });
  const problems = await pi.request({ type: 'get_diagnostics' });
  await pi.end();
  const commands = data.commands.map((command: Json) => command.name).sort();
  return { commands, diagnostics: problems.data.diagnostics, stderr: pi.stderr };
}

/** Runs a command that must succeed; gives what it said. */
export async function pi(sandbox: Sandbox, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runPi(sandbox, args);
  if (code !== 0) throw new Error(`pi ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}
