import type { ExtensionAPI, ExtensionContext, SessionEntry } from '../../core/extension-host/contract/public.js';
import { type Checkpoint, Repository } from './git.js';

const KIND = 'git-checkpoint';
const KEEP_MS = 30 * 24 * 60 * 60 * 1_000;
const MAX_LISTED = 20;
const CHOICES = ['Restore them', 'Leave them as they are'] as const;

/** Keeps the files as they were at each prompt, and offers them when the conversation goes back. */
export default function gitCheckpoints(pi: ExtensionAPI): void {
  let finding: Promise<Repository | undefined> | undefined;
  let lastTree: string | undefined;
  const repository = (ctx: ExtensionContext): Promise<Repository | undefined> => {
    finding ??= Repository.find(ctx.cwd);
    return finding;
  };
  /** What goes wrong with git is told, and keeps nobody from working. */
  const guarded = async (ctx: ExtensionContext, what: string, work: (git: Repository) => Promise<void>): Promise<void> => {
    const git = await repository(ctx);
    if (!git) return;
    try {
      await work(git);
    } catch (error) {
      ctx.ui.notify(`${what}: ${error instanceof Error ? error.message : error}`, 'warning');
    }
  };
  const record = async (git: Repository, ctx: ExtensionContext, message: string): Promise<string> => {
    const tree = await git.tree();
    const commit = await git.record(tree, ctx.sessionManager.getSessionId(), message);
    lastTree = tree;
    return commit;
  };
  const offer = (ctx: ExtensionContext): Promise<void> =>
    guarded(ctx, 'The files could not be compared with their checkpoint', async (git) => {
      const commit = lastIn(ctx.sessionManager.getBranch());
      if (commit === undefined || !ctx.hasUI) return;
      await offerToRestore(git, ctx, commit, (message) => record(git, ctx, message));
    });

  pi.on('session_start', async ({ reason }, ctx) => {
    if (reason === 'fork') return offer(ctx);
    await guarded(ctx, 'Old checkpoints could not be removed', async (git) => {
      await git.forget((await git.list()).filter(({ time }) => Date.now() - time > KEEP_MS));
    });
    return undefined;
  });
  pi.on('session_tree', (_event, ctx) => offer(ctx));
  pi.on('before_agent_start', async ({ prompt }, ctx) => {
    await guarded(ctx, 'The files were not recorded', async (git) => {
      const tree = await git.tree();
      // Nothing has changed since: the checkpoint before says it all.
      if (tree === lastTree && lastIn(ctx.sessionManager.getBranch()) !== undefined) return;
      pi.appendEntry(KIND, { commit: await record(git, ctx, `Before: ${prompt.slice(0, 60)}`) });
    });
    return undefined;
  });

  pi.registerCommand('checkpoints', {
    description: 'Files at each prompt: /checkpoints [restore <number> | prune]',
    handler: async (args, ctx) => {
      const git = await repository(ctx);
      if (!git) return ctx.ui.notify('This folder is in no git repository: there are no checkpoints', 'warning');
      const [verb = '', number = ''] = args.trim().split(/\s+/);
      const all = await git.list(ctx.sessionManager.getSessionId());
      if (verb === 'prune') {
        await git.forget(all);
        return ctx.ui.notify(`${all.length} checkpoints of this session are removed`);
      }
      if (verb === 'restore') {
        const chosen = all[Number(number) - 1];
        if (!chosen) throw new Error(`There is no checkpoint ${number}: /checkpoints lists them`);
        return offerToRestore(git, ctx, chosen.commit, (message) => record(git, ctx, message));
      }
      if (verb !== '') throw new Error('/checkpoints [restore <number> | prune]');
      return ctx.ui.notify(listed(all));
    },
  });
}

/** Says how many files differ, and makes them what they were when somebody wants it. What is there now is kept first. */
async function offerToRestore(
  git: Repository,
  ctx: ExtensionContext,
  commit: string,
  record: (message: string) => Promise<string>,
): Promise<void> {
  const wanted = await git.treeOf(commit);
  if (wanted === undefined)
    return ctx.ui.notify('The checkpoint is gone: it was removed, or belongs to another repository', 'warning');
  const now = await git.tree();
  const changes = await git.changes(now, wanted);
  if (changes.length === 0) return undefined;
  const lines = changes
    .slice(0, 10)
    .map(({ kind, file }) => `${{ A: 'comes back', D: 'is removed', M: 'changes' }[kind]}: ${file}`);
  const more = changes.length > 10 ? [`and ${changes.length - 10} more`] : [];
  const title = [`${changes.length} files are not as they were at this point:`, ...lines, ...more].join('\n');
  if ((await ctx.ui.select(title, [...CHOICES])) !== CHOICES[0]) return undefined;
  const before = await record('Before files were restored');
  await git.restore(wanted, changes);
  return ctx.ui.notify(`${changes.length} files are as they were. What was there is commit ${before.slice(0, 10)}`);
}

function lastIn(branch: readonly SessionEntry[]): string | undefined {
  const last = branch.findLast((entry) => entry.type === 'custom' && entry.customType === KIND);
  return last?.type === 'custom' ? (last.data as { commit?: string }).commit : undefined;
}

const listed = (all: readonly Checkpoint[]): string =>
  all
    .slice(0, MAX_LISTED)
    .map(({ commit, time }, at) => `${at + 1}. ${new Date(time).toISOString().slice(0, 19)} ${commit.slice(0, 10)}`)
    .join('\n') || 'There are no checkpoints of this session yet';
