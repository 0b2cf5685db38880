import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { homeDir } from '../../../resources/agent-dir.js';
import { projectParts } from '../../../trust/project-parts.js';
import { getAgentDir } from './host.js';

export interface ProjectTrustEntry {
  path: string;
  decision: boolean;
}

/** What a person decided about projects, in `<agentDir>/trust.json`. A decision about a folder holds below it. */
export class ProjectTrustStore {
  readonly #file: string;

  constructor(agentDir: string = getAgentDir()) {
    this.#file = join(agentDir, 'trust.json');
  }

  /** Null: nobody decided. */
  get(cwd: string): boolean | null {
    return this.getEntry(cwd)?.decision ?? null;
  }

  getEntry(cwd: string): ProjectTrustEntry | null {
    const decisions = this.#read();
    for (let path = realPath(cwd); ; path = dirname(path)) {
      const decision = Object.hasOwn(decisions, path) ? decisions[path] : undefined;
      if (typeof decision === 'boolean') return { path, decision };
      if (path === dirname(path)) return null;
    }
  }

  /** Null takes the decision back. */
  set(cwd: string, decision: boolean | null): void {
    this.setMany([{ path: cwd, decision }]);
  }

  setMany(entries: readonly { path: string; decision: boolean | null }[]): void {
    const decisions = this.#read();
    for (const { path, decision } of entries) {
      if (decision === null) delete decisions[realPath(path)];
      else decisions[realPath(path)] = decision;
    }
    this.#write(decisions);
  }

  /** Throws for a file that holds something else: it is not ours to replace. */
  #read(): Record<string, unknown> {
    if (!existsSync(this.#file)) return {};
    const value: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${this.#file} must hold a JSON object of paths and decisions`);
    return { ...value };
  }

  #write(decisions: Record<string, unknown>): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const aside = `${this.#file}.${process.pid}.tmp`;
    try {
      writeFileSync(aside, `${JSON.stringify(decisions, null, 2)}\n`, { mode: 0o600 });
      renameSync(aside, this.#file);
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
