import type { Collision, OfferedTool } from '../../extension-host/host/extension-tools.js';
import type { Tool } from '../../protocol/tool.js';
import type { ToolSelection } from '../../tools/registry.js';
import { selectTools } from '../../tools/registry.js';

export interface ActiveToolsOptions {
  builtIn: readonly Tool[];
  /** Of whoever embeds the program. */
  host?: readonly Tool[];
  selection: ToolSelection;
  offered: () => { tools: OfferedTool[]; collisions: Collision[] };
}

/**
 * Which tools the model is offered: the program's own and those of extensions, which may take the place of one of ours by name. Tools of
 * extensions are active as soon as they are registered, unless somebody chose a set.
 */
export class ActiveTools {
  readonly #options: ActiveToolsOptions;
  /** What an extension or a client chose; undefined while the start's selection holds. */
  #chosen: ReadonlySet<string> | undefined;
  /** Extension tools that were there when the set was chosen: later ones are active beside it. */
  #knownWhenChosen: ReadonlySet<string> = new Set();
  #all: readonly Tool[] | undefined;
  #active: readonly Tool[] | undefined;

  constructor(options: ActiveToolsOptions) {
    this.#options = options;
  }

  /** Every tool there is, ours first; one of an extension in the place of ours where it has its name. */
  all(): readonly Tool[] {
    if (this.#all) return this.#all;
    const { builtIn, host = [], offered } = this.#options;
    const byName = new Map(builtIn.map((tool) => [tool.name, tool]));
    for (const { tool } of offered().tools) byName.set(tool.name, tool);
    for (const tool of host) byName.set(tool.name, tool);
    this.#all = [...byName.values()];
    return this.#all;
  }

  active(): readonly Tool[] {
    if (this.#active) return this.#active;
    const chosen = this.#chosen;
    const all = this.all();
    this.#active = chosen
      ? all.filter(({ name }) => chosen.has(name) || (this.#isExtensionTool(name) && !this.#knownWhenChosen.has(name)))
      : selectTools(all, this.#options.selection, (tool) => this.#options.builtIn.includes(tool));
    return this.#active;
  }

  /** Unknown names are left out. */
  set(names: readonly string[]): void {
    this.#chosen = new Set(names);
    this.#knownWhenChosen = new Set(this.#options.offered().tools.map(({ tool }) => tool.name));
    this.#active = undefined;
  }

  /** Extensions offer other tools than before. */
  changed(): void {
    this.#all = undefined;
    this.#active = undefined;
  }

  /** Another session begins: the start's selection holds again. */
  reset(): void {
    this.#chosen = undefined;
    this.changed();
  }

  #isExtensionTool(name: string): boolean {
    return this.#options.offered().tools.some(({ tool }) => tool.name === name);
  }
}
