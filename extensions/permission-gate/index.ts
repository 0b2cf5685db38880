import path from 'node:path';
import type { ExtensionAPI, ExtensionContext, SessionEntry } from '../../core/extension-host/contract/public.js';
import { hostPackage } from '../shared/host-package.js';
import { dangersOf, partsOf } from './dangers.js';
import { Rules } from './rules.js';

const FILE = 'permission-gate.json';
const KIND = 'permission-gate';
const CHOICES = ['Allow once', 'Allow in this session', 'No'] as const;
const MAX_SHOWN = 500;

/** What was allowed, or with `forget` everything before it taken back. */
interface Note {
  allow?: string;
  forget?: true;
}

/** Asks before a tool does what can't be undone, and refuses where nobody can answer. */
export default function permissionGate(pi: ExtensionAPI): void {
  let reading: Promise<Rules> | undefined;
  const allowed = new Set<string>();
  const rulesOf = (ctx: ExtensionContext): Promise<Rules> => {
    reading ??= read(ctx);
    return reading;
  };
  const remember = (note: Note): void => {
    pi.appendEntry(KIND, note);
    apply(note, allowed);
  };
  const restore = (_event: unknown, ctx: ExtensionContext): void => {
    allowed.clear();
    for (const note of notesIn(ctx.sessionManager.getBranch())) apply(note, allowed);
  };

  pi.on('session_start', async (event, ctx) => {
    restore(event, ctx);
    for (const problem of (await rulesOf(ctx)).problems) {
      ctx.ui.notify(problem, 'warning');
      console.error(problem);
    }
  });
  pi.on('session_tree', restore);

  pi.on('tool_call', async ({ toolName, input }, ctx) => {
    const rules = await rulesOf(ctx);
    const dangers = new Map(dangersOf(toolName, input, ctx.cwd).map(({ what, why }) => [what, why]));
    for (const what of partsOf(toolName, input, ctx.cwd)) {
      const rule = rules.for(what);
      if (rule?.verdict === 'deny') return refuse(what, `the rule "${rule.text}" refuses it`);
      if (rule?.verdict === 'allow' || allowed.has(what)) continue;
      const why = rule ? `the rule "${rule.text}" asks` : dangers.get(what);
      if (why === undefined) continue;
      if (!ctx.hasUI) return refuse(what, `it ${why}, and nobody can be asked`);
      const choice = await ctx.ui.select(`Allow this? It ${why}:\n${shown(what)}`, [...CHOICES]);
      if (choice === CHOICES[1]) remember({ allow: what });
      else if (choice !== CHOICES[0]) return refuse(what, choice === undefined ? 'nobody answered' : 'the user said no');
    }
    return undefined;
  });

  pi.registerCommand('permissions', {
    description: 'Shows what is allowed: /permissions [forget]',
    handler: async (args, ctx) => {
      if (args.trim() === 'forget') {
        remember({ forget: true });
        ctx.ui.notify('What was allowed in this session is forgotten');
        return;
      }
      const rules = await rulesOf(ctx);
      const lines = [...rules.texts, ...[...allowed].map((what) => `allowed in this session: ${shown(what)}`), ...rules.problems];
      ctx.ui.notify(lines.join('\n') || 'There are no rules; what could do harm is asked about');
    },
  });
}

async function read(ctx: ExtensionContext): Promise<Rules> {
  const { getAgentDir } = await hostPackage();
  return Rules.read(path.join(getAgentDir(), FILE), ctx.isProjectTrusted() ? path.join(ctx.cwd, '.pi', FILE) : undefined);
}

const refuse = (what: string, why: string) => ({ block: true, reason: `Not run: ${shown(what)} (${why})` });

const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function apply({ allow, forget }: Note, allowed: Set<string>): void {
  if (forget) allowed.clear();
  if (allow !== undefined) allowed.add(allow);
}

const notesIn = (branch: readonly SessionEntry[]): Note[] =>
  branch.flatMap((entry) => (entry.type === 'custom' && entry.customType === KIND ? [entry.data as Note] : []));
