import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';

export interface ProjectTrustOptions {
  agentDir: string;
  cwd: string;
  home: string;
  /** `--approve` and `--no-approve`; the last one given is the only one set. */
  approve: boolean;
  noApprove: boolean;
  /** The global setting `defaultProjectTrust`. Nobody can be asked here: `ask` is no. */
  fallback: 'ask' | 'always' | 'never';
}

export interface ProjectTrust {
  /** Whether the project's own resources may load. True as well when it has none that need trust. */
  trusted: boolean;
  /** What was left alone because it is not trusted, and problems of the record. */
  diagnostics: Diagnostic[];
}

/** What a project may bring that can change what the agent does. */
const NEEDS_TRUST = ['.pi', path.join('.agents', 'skills')];

/**
 * Decides about the project in `cwd`: the command line, else the record in `<agentDir>/trust.json` (of the folder itself or the nearest
 * one above it), else the setting. Reads one small file, and only when there is something to decide. Source: FACTS-extensions "Trust".
 */
export function decideProjectTrust(options: ProjectTrustOptions): ProjectTrust {
  const { cwd, agentDir, home, approve, noApprove, fallback } = options;
  const present = projectParts(cwd, agentDir, home);
  if (present.length === 0) return { trusted: !noApprove, diagnostics: [] };
  if (approve) return { trusted: true, diagnostics: [] };
  const record = noApprove ? { decided: false, diagnostics: [] } : recorded(agentDir, cwd);
  const trusted = record.decided ?? fallback === 'always';
  if (trusted) return { trusted, diagnostics: record.diagnostics };
  const skipped: Diagnostic = {
    kind: 'trust',
    severity: 'info',
    message: `The project in ${cwd} is not trusted: ${present.join(' and ')} ${present.length > 1 ? 'were' : 'was'} not loaded. Trust it for this run with --approve.`,
    path: cwd,
  };
  return { trusted: false, diagnostics: [...record.diagnostics, skipped] };
}

/** The parts of the project that need trust; the agent's own folder is none, wherever it lies. */
function projectParts(cwd: string, agentDir: string, home: string): string[] {
  if (sameFolder(cwd, home)) return [];
  return NEEDS_TRUST.filter((part) => {
    const folder = path.join(cwd, part);
    return !sameFolder(folder, path.dirname(agentDir)) && !sameFolder(folder, agentDir) && isFilled(folder);
  });
}

function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // Not there, not a folder, or not ours to read: nothing would load from it either.
    return false;
  }
}

function sameFolder(a: string, b: string): boolean {
  if (path.resolve(a) === path.resolve(b)) return true;
  try {
    return existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b);
  } catch {
    // One of them vanished meanwhile.
    return false;
  }
}

function recorded(agentDir: string, cwd: string): { decided: boolean | undefined; diagnostics: Diagnostic[] } {
  const file = path.join(agentDir, 'trust.json');
  if (!existsSync(file)) return { decided: undefined, diagnostics: [] };
  let record: unknown;
  try {
    record = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const message = `${file} can't be read, so no project is trusted by it: ${messageOf(error)}`;
    return { decided: undefined, diagnostics: [{ kind: 'trust', severity: 'error', message, path: file }] };
  }
  if (typeof record !== 'object' || record === null) return { decided: undefined, diagnostics: [] };
  for (let folder = realOr(cwd); ; folder = path.dirname(folder)) {
    const decided: unknown = Object.hasOwn(record, folder) ? Reflect.get(record, folder) : undefined;
    if (typeof decided === 'boolean') return { decided, diagnostics: [] };
    if (folder === path.dirname(folder)) return { decided: undefined, diagnostics: [] };
  }
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // A folder that is gone keeps its name.
    return path.resolve(folder);
  }
}
