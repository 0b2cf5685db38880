import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Keeps what is too much for a result in files that only the user can read. */
export class ResultFiles {
  #folder: Promise<string> | undefined;
  #count = 0;

  /** `name` comes from a server. Gives the path. */
  async keep(name: string, content: string | Buffer): Promise<string> {
    this.#folder ??= mkdtemp(path.join(os.tmpdir(), 'pi-mcp-'));
    this.#count += 1;
    const safe = name.replaceAll(/[^\w.-]/g, '_').slice(-60) || 'result';
    const file = path.join(await this.#folder, `${this.#count}-${safe}`);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }
}
