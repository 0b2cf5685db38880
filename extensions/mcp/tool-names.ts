import { createHash } from 'node:crypto';

/** What all models take. */
const MAX_CHARS = 64;
const HASH_CHARS = 8;

/** Names for tools of servers: `mcp_<server>_<tool>`. Each keeps its name as long as it lives. */
export class ToolNames {
  readonly #byTool = new Map<string, string>();
  readonly #taken = new Map<string, { server: string; tool: string }>();
  /** A sentence for each name that two wanted. */
  readonly collisions: string[] = [];

  nameOf(server: string, tool: string): string {
    const key = `${server}\0${tool}`;
    const known = this.#byTool.get(key);
    if (known !== undefined) return known;
    const wanted = shortened(`mcp_${cleaned(server)}_${cleaned(tool)}`, key);
    const name = this.#free(wanted);
    const other = this.#taken.get(wanted);
    if (other) {
      this.collisions.push(
        `The tool "${tool}" of "${server}" is called ${name}: ${wanted} is the tool "${other.tool}" of "${other.server}"`,
      );
    }
    this.#byTool.set(key, name);
    this.#taken.set(name, { server, tool });
    return name;
  }

  /** Every name that a tool of this server has or had. */
  ownedBy(server: string): ReadonlySet<string> {
    return new Set([...this.#taken].filter(([, owner]) => owner.server === server).map(([name]) => name));
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let nth = 2; this.#taken.has(name); nth++) {
      const ending = `_${nth}`;
      name = wanted.slice(0, MAX_CHARS - ending.length) + ending;
    }
    return name;
  }
}

export const cleaned = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '_');

/** Two long names that begin alike stay two. */
function shortened(name: string, key: string): string {
  if (name.length <= MAX_CHARS) return name;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`;
}
