import { messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { type ProjectPlace, projectParts, realFolder } from './project-parts.js';
import { describeChanges, type PinContent, pinChanges, pinContent, readPin, writePin } from './project-pin.js';
import { nearestDecision, readTrust, trustFile, writeTrust } from './trust-record.js';

/** What a `project_trust` handler says. `undecided`, like no answer, leaves it to the record and the setting. */
export interface TrustAnswer {
  trusted: 'yes' | 'no' | 'undecided';
  /** Write the answer into `trust.json`. */
  remember?: boolean | undefined;
}

export interface ProjectTrustOptions extends ProjectPlace {
  /** `--approve` and `--no-approve`; the last one given is the only one set. */
  approve: boolean;
  noApprove: boolean;
  /** The global setting `defaultProjectTrust`. Nobody can be asked here: `ask` is no. */
  fallback: 'ask' | 'always' | 'never';
  /** Asks extensions, those of the user and of the command line only. The first yes or no counts. A rejection counts as no answer. */
  ask?: ((event: { cwd: string }) => Promise<TrustAnswer | undefined>) | undefined;
  /** Places outside `.pi` that the project's settings load from; asked for only when there is a pin. */
  pinnedPlaces?: (() => readonly string[]) | undefined;
}

export interface ProjectTrust {
  /** Whether the project's own resources may load. True as well when it has none that need trust. */
  trusted: boolean;
  /** What was left alone because it is not trusted, and problems of the record. */
  diagnostics: Diagnostic[];
}

interface Verdict extends ProjectTrust {
  /** How to change it, for the diagnostic. */
  hint?: string;
}

/**
 * Decides about the project in `cwd`: the command line, else extensions, else the record in `<agentDir>/trust.json` (of the folder itself
 * or the nearest one above it), else the setting. Reads two small files, and only when there is something to decide; a pinned project is
 * read whole. Never rejects. Source: FACTS-extensions "Trust"; pins are ours.
 */
export async function decideProjectTrust(options: ProjectTrustOptions): Promise<ProjectTrust> {
  const { cwd, approve, noApprove, fallback } = options;
  const parts = projectParts(options);
  if (parts.length === 0) return { trusted: !noApprove, diagnostics: [] };
  if (approve) return { trusted: true, diagnostics: [] };
  const verdict: Verdict = noApprove
    ? { trusted: false, diagnostics: [], hint: 'as --no-approve asks' }
    : ((await asked(options)) ?? (await recorded(options)) ?? { trusted: fallback === 'always', diagnostics: [] });
  if (verdict.trusted) return { trusted: true, diagnostics: verdict.diagnostics };
  const names = parts.map(({ name }) => name);
  const list = names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const hint = verdict.hint ?? 'to trust it, run "pi trust" there, or pass --approve for this run';
  const skipped: Diagnostic = {
    kind: 'trust',
    severity: 'info',
    message: `The project in ${cwd} is not trusted: ${list} ${names.length > 1 ? 'were' : 'was'} not loaded (${hint})`,
    path: cwd,
  };
  return { trusted: false, diagnostics: [...verdict.diagnostics, skipped] };
}

async function asked(options: ProjectTrustOptions): Promise<Verdict | undefined> {
  const { ask, cwd, agentDir } = options;
  let answer: TrustAnswer | undefined;
  try {
    answer = await ask?.({ cwd });
  } catch (error) {
    const message = `Asking extensions whether ${cwd} is trusted failed: ${messageOf(error)}`;
    const verdict = await recorded(options);
    const diagnostics: Diagnostic[] = [{ kind: 'trust', severity: 'error', message, path: cwd }];
    return {
      ...(verdict ?? { trusted: options.fallback === 'always' }),
      diagnostics: [...diagnostics, ...(verdict?.diagnostics ?? [])],
    };
  }
  if (answer?.trusted !== 'yes' && answer?.trusted !== 'no') return undefined;
  const trusted = answer.trusted === 'yes';
  const hint = 'an extension said so';
  if (!answer.remember) return { trusted, diagnostics: [], hint };
  try {
    const folder = realFolder(cwd);
    await writeTrust(agentDir, folder, trusted);
    // Who pinned it wants to hear of changes: the new decision is about what is there now.
    if (trusted && readPin(agentDir, folder)) await pinProject(options, folder);
    return { trusted, diagnostics: [], hint };
  } catch (error) {
    const message = `The decision about ${cwd} was not remembered: ${messageOf(error)}`;
    return { trusted, diagnostics: [{ kind: 'trust', severity: 'warning', message, path: trustFile(agentDir) }], hint };
  }
}

/** Undefined when nothing is recorded. */
async function recorded(options: ProjectTrustOptions): Promise<Verdict | undefined> {
  const { agentDir, cwd } = options;
  const folder = realFolder(cwd);
  try {
    const decision = nearestDecision(readTrust(agentDir), folder);
    if (!decision?.trusted) return decision && { trusted: false, diagnostics: [] };
    const changes = await changesSincePin(options, decision.folder);
    if (changes === undefined) return { trusted: true, diagnostics: [] };
    const message = `The project in ${cwd} is trusted only as it was when it was pinned: ${changes}`;
    return {
      trusted: false,
      diagnostics: [{ kind: 'trust', severity: 'warning', message, path: cwd }],
      hint: 'look at the change, then run "pi trust --pin" there',
    };
  } catch (error) {
    const message = `No project is trusted by the record in ${agentDir}: ${messageOf(error)}`;
    return { trusted: false, diagnostics: [{ kind: 'trust', severity: 'error', message, path: trustFile(agentDir) }] };
  }
}

/**
 * What is different from the pin of `pinned`, the folder the decision is about, in words; undefined when nothing is, or there is no pin.
 * A pin speaks for its own folder only: what a folder below it brings was never looked at.
 */
async function changesSincePin(options: ProjectTrustOptions, pinned: string): Promise<string | undefined> {
  const pin = readPin(options.agentDir, pinned);
  if (!pin) return undefined;
  if (pinned !== realFolder(options.cwd)) return `the pin is that of ${pinned}, and says nothing about folders in it`;
  return describeChanges(pinChanges(pin.files, await contentOf(options)));
}

/** Pins the project to what it brings now. The decision itself is the caller's. Throws PIN_TOO_LARGE and errors of the disk. */
export async function pinProject(
  options: ProjectPlace & Pick<ProjectTrustOptions, 'pinnedPlaces'>,
  folder: string,
  now: Date = new Date(),
): Promise<PinContent> {
  const files = await contentOf(options);
  await writePin(options.agentDir, folder, { pinnedAt: now.toISOString(), files });
  return files;
}

function contentOf(options: ProjectPlace & Pick<ProjectTrustOptions, 'pinnedPlaces'>): Promise<PinContent> {
  return pinContent(options, options.pinnedPlaces?.() ?? []);
}
