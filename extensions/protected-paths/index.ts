import path from 'node:path';
import type { ExtensionAPI, ExtensionContext } from '../../core/extension-host/contract/public.js';
import { hostPackage } from '../shared/host-package.js';
import { projectTrust } from '../shared/project-trust.js';
import { type ShellCommand, shellCommands } from '../shared/shell-commands.js';
import { ProtectedPaths } from './rules.js';

const FILE = 'protected-paths.json';
/** Commands that only look at what they are given. */
const READERS = new Set(
  'cat less more head tail grep egrep fgrep rg ls ll stat wc file diff cmp sort uniq cut od xxd strings sha256sum md5sum echo printf test [ cd'.split(
    ' ',
  ),
);

/** Refuses changes to files that are named in a list. */
export default function protectedPaths(pi: ExtensionAPI): void {
  let reading: Promise<ProtectedPaths> | undefined;
  const rulesOf = (ctx: ExtensionContext): Promise<ProtectedPaths> => {
    reading ??= read(ctx);
    return reading;
  };

  pi.on('session_start', async (_event, ctx) => {
    for (const problem of (await rulesOf(ctx)).problems) {
      ctx.ui.notify(problem, 'warning');
      console.error(problem);
    }
  });
  pi.registerCommand('protected', {
    description: 'Shows which files may not be changed',
    handler: async (file, ctx) => {
      const rules = await rulesOf(ctx);
      const rule = file === '' ? undefined : rules.ruleFor(file);
      if (file === '') ctx.ui.notify([...new Set(rules.texts), ...rules.problems].join('\n'));
      else ctx.ui.notify(rule === undefined ? `${file} may be changed` : `${file} is protected by "${rule}"`);
    },
  });
  pi.on('tool_call', async ({ toolName, input }, ctx) => {
    const rules = await rulesOf(ctx);
    for (const file of filesChangedBy(toolName, input)) {
      const rule = rules.ruleFor(file);
      if (rule !== undefined) return { block: true, reason: `${file} is protected ("${rule}"): it may be read, not changed` };
    }
    return undefined;
  });
}

async function read(ctx: ExtensionContext): Promise<ProtectedPaths> {
  const { getAgentDir } = await hostPackage();
  const files = [path.join(getAgentDir(), FILE)];
  // What protects more needs less trust, but a project could also take protection away.
  if ((await projectTrust(ctx)) === 'trusted') files.push(path.join(ctx.cwd, '.pi', FILE));
  return ProtectedPaths.read(ctx.cwd, files);
}

function filesChangedBy(toolName: string, input: Record<string, unknown>): string[] {
  if (toolName === 'write' || toolName === 'edit') return typeof input.path === 'string' ? [input.path] : [];
  if (toolName === 'bash' && typeof input.command === 'string') return shellCommands(input.command).flatMap(filesNamedBy);
  return [];
}

/** Files that a command names, unless it only looks at them. */
function filesNamedBy({ words, writes }: ShellCommand): string[] {
  const [program = '', ...args] = words;
  if (READERS.has(path.basename(program))) return writes;
  const named = args.map((arg) => arg.replace(/^(?:-\S*?=|of=|if=)/, '')).filter((arg) => arg !== '' && !arg.startsWith('-'));
  return [...writes, ...named];
}
