import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { homeDir } from '../../../resources/agent-dir.js';
import { projectParts } from '../../../trust/project-parts.js';
import { nearestDecision, readJsonObject, readTrust, trustFile } from '../../../trust/trust-record.js';
import { getAgentDir } from './host.js';

export interface ProjectTrustEntry {
  path: string;
  decision: boolean;
}

/** What a person decided about projects, in `<agentDir>/trust.json`. A decision about a folder holds below it. */
export class ProjectTrustStore {
  readonly #agentDir: string;

  constructor(agentDir: string = getAgentDir()) {
    this.#agentDir = agentDir;
  }

  /** Null: nobody decided. */
  get(cwd: string): boolean | null {
    return this.getEntry(cwd)?.decision ?? null;
  }

  getEntry(cwd: string): ProjectTrustEntry | null {
    const found = nearestDecision(readTrust(this.#agentDir), realPath(cwd));
    return found ? { path: found.folder, decision: found.trusted } : null;
  }

  /** Null takes the decision back. */
  set(cwd: string, decision: boolean | null): void {
    this.setMany([{ path: cwd, decision }]);
  }

  setMany(entries: readonly { path: string; decision: boolean | null }[]): void {
    const decisions = { ...readJsonObject(trustFile(this.#agentDir)) };
    for (const { path, decision } of entries) {
      if (decision === null) delete decisions[realPath(path)];
      else decisions[realPath(path)] = decision;
    }
    this.#write(decisions);
  }

  #write(decisions: Record<string, unknown>): void {
    mkdirSync(this.#agentDir, { recursive: true, mode: 0o700 });
    const file = trustFile(this.#agentDir);
    const aside = `${file}.${process.pid}.tmp`;
    try {
      writeFileSync(aside, `${JSON.stringify(decisions, null, 2)}\n`, { mode: 0o600 });
      renameSync(aside, file);
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
  }
}

/** True when the project in `cwd` brings something that loads only with trust. */
export function hasTrustRequiringProjectResources(cwd: string): boolean {
  return projectParts({ agentDir: getAgentDir(), cwd, home: homeDir(process.env) }).length > 0;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there (any more): its name is all there is.
    return resolve(path);
  }
}
