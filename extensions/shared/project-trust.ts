import type { ExtensionContext } from '../../core/extension-host/contract/public.js';
import { sessionArguments } from './command-line.js';
import { hostPackage } from './host-package.js';

/** `undecided`: the program found nothing that needs trust, or somebody said yes for whom there is no record. */
export type ProjectTrust = 'trusted' | 'untrusted' | 'undecided';

/**
 * Whether a person trusts this project. `ctx.isProjectTrusted()` is also true when the project had, at the start, nothing that the program
 * itself asks for; files that only extensions read need a yes of their own.
 */
export async function projectTrust(ctx: Pick<ExtensionContext, 'cwd' | 'isProjectTrusted'>): Promise<ProjectTrust> {
  if (!ctx.isProjectTrusted()) return 'untrusted';
  if (isApproved(sessionArguments(ctx.cwd))) return 'trusted';
  const { ProjectTrustStore } = await hostPackage();
  return new ProjectTrustStore().get(ctx.cwd) === true ? 'trusted' : 'undecided';
}

/** What comes after `--` is no option. */
function isApproved(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === '--approve' || word === '-a');
}
