import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DEADLINE_MS = 30_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const ROOT = 'refs/pi/checkpoints';

export interface Checkpoint {
  commit: string;
  /** Milliseconds since 1970. */
  time: number;
  ref: string;
}

export interface Change {
  /** A: only in the target. D: only now. M: different. */
  kind: 'A' | 'D' | 'M';
  file: string;
}

/**
 * A repository, as far as checkpoints are concerned. The index, `HEAD`, branches, the stash and hooks are never touched: files are recorded through an
 * index of our own, as commits that only our refs name.
 */
export class Repository {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Undefined outside a repository, and where there is no git. */
  static async find(cwd: string): Promise<Repository | undefined> {
    try {
      const { stdout } = await run('git', ['rev-parse', '--show-toplevel'], { cwd, timeout: DEADLINE_MS });
      return new Repository(stdout.trimEnd());
    } catch {
      // No repository, or no git: either way there is nothing to keep checkpoints in.
      return undefined;
    }
  }

  /** The tree of all files as they are now, those that are ignored left out. */
  tree(): Promise<string> {
    return this.#withIndex(async (git) => {
      await git('add', '--all', '--', ':/');
      return git('write-tree');
    });
  }

  async record(tree: string, session: string, message: string): Promise<string> {
    const identity = ['-c', 'user.name=pi', '-c', 'user.email=pi@localhost', '-c', 'commit.gpgSign=false'];
    const commit = await this.#git([...identity, 'commit-tree', tree, '-m', message]);
    // Commits know seconds only.
    await this.#git(['update-ref', `${ROOT}/${session}/${Date.now()}-${commit.slice(0, 10)}`, commit]);
    return commit;
  }

  async treeOf(commit: string): Promise<string | undefined> {
    return this.#git(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]).catch(() => undefined);
  }

  async changes(from: string, to: string): Promise<Change[]> {
    const words = (await this.#git(['diff', '--name-status', '--no-renames', '-z', from, to])).split('\0');
    const changes: Change[] = [];
    for (let at = 0; at + 1 < words.length; at += 2) {
      const kind = words[at]?.[0];
      changes.push({ kind: kind === 'A' || kind === 'D' ? kind : 'M', file: words[at + 1] ?? '' });
    }
    return changes;
  }

  /** Makes the files what they are in the tree; those that are only here now are removed. */
  async restore(tree: string, changes: readonly Change[]): Promise<void> {
    await this.#withIndex(async (git) => {
      await git('read-tree', tree);
      await git('checkout-index', '--all', '--force');
    });
    for (const { kind, file } of changes) if (kind === 'D') await rm(path.join(this.root, file), { force: true });
  }

  /** The latest first. */
  async list(session?: string): Promise<Checkpoint[]> {
    const format = '%(refname) %(objectname)';
    const text = await this.#git(['for-each-ref', `--format=${format}`, session === undefined ? ROOT : `${ROOT}/${session}`]);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '))
      .map(([ref = '', commit = '']) => ({ ref, commit, time: Number(/(\d+)-\w+$/.exec(ref)?.[1] ?? 0) }))
      .sort((a, b) => b.time - a.time);
  }

  async forget(checkpoints: readonly Checkpoint[]): Promise<void> {
    for (const { ref } of checkpoints) await this.#git(['update-ref', '-d', ref]);
  }

  async #withIndex<T>(use: (git: (...args: string[]) => Promise<string>) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'pi-checkpoint-'));
    const env = { ...process.env, GIT_INDEX_FILE: path.join(folder, 'index') };
    try {
      return await use((...args) => this.#git(args, env));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #git(args: readonly string[], env = process.env): Promise<string> {
    const { stdout } = await run('git', [...args], { cwd: this.root, env, timeout: DEADLINE_MS, maxBuffer: MAX_OUTPUT });
    return stdout.trimEnd();
  }
}
