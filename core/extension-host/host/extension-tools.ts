import { CodedError } from '../../base/coded-error.js';
import type { Tool, ToolResult } from '../../protocol/tool.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { BridgedTool } from '../contract/tools.js';
import { type ExtensionRecord, RESTART_MS } from './extension-record.js';
import type { NamingRules } from './naming.js';
import type { WorkerBridge } from './worker-bridge.js';

export interface OfferedTool {
  record: ExtensionRecord;
  tool: Tool;
}

/** Two extensions want one name. */
export interface Collision {
  kind: 'tool' | 'command' | 'flag';
  name: string;
  winner: ExtensionRecord;
  loser: ExtensionRecord;
}

/**
 * The tools of all extensions, one of each name: the first in rank has it. Tools keep their identity while their definition is the same:
 * what was worked out for one is not worked out again.
 */
export class ExtensionTools {
  readonly #bridgeOf: (record: ExtensionRecord) => WorkerBridge | undefined;
  readonly #naming: NamingRules;
  readonly #made = new WeakMap<BridgedTool, Tool>();

  constructor(bridgeOf: (record: ExtensionRecord) => WorkerBridge | undefined, naming: NamingRules) {
    this.#bridgeOf = bridgeOf;
    this.#naming = naming;
  }

  offered(records: readonly ExtensionRecord[]): { tools: OfferedTool[]; collisions: Collision[] } {
    const tools = new Map<string, OfferedTool>();
    const collisions: Collision[] = [];
    for (const record of this.#naming.ordered(records)) {
      for (const definition of record.tools.values()) {
        const name = this.#naming.nameOf('tools', record, definition.name);
        if (name === undefined) continue;
        const first = tools.get(name);
        if (first) collisions.push({ kind: 'tool', name, winner: first.record, loser: record });
        else tools.set(name, { record, tool: this.#tool(record, definition, name) });
      }
    }
    return { tools: [...tools.values()], collisions };
  }

  /** `name`: what it is called here; its extension knows it by its own. */
  #tool(record: ExtensionRecord, definition: BridgedTool, name: string): Tool {
    const known = this.#made.get(definition);
    if (known?.name === name) return known;
    const { prepares, renders, ...rest } = definition;
    void renders;
    const tool: Tool = {
      ...rest,
      name,
      ...(prepares && {
        prepareArguments: (args: unknown) => this.#bridge(record).call('tools.prepare', [record.name, rest.name, args ?? null]),
      }),
      execute: async (args, { toolCallId, signal, onUpdate }) => {
        await record.whenSettled(RESTART_MS);
        // The contract checks the parts of a result; `usage` is as the extension says.
        return (await this.#bridge(record).call('tools.execute', [record.name, rest.name, toolCallId, args], {
          signal,
          onProgress: (partial) => onUpdate(partial as ToolResult),
        })) as ToolResult;
      },
    };
    this.#made.set(definition, tool);
    return tool;
  }

  #bridge(record: ExtensionRecord): WorkerBridge {
    const bridge = this.#bridgeOf(record);
    if (bridge) return bridge;
    const why = record.state === 'quarantined' ? 'it ended too often and is not started again' : 'it is being restarted';
    throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `The extension ${record.name} is not there: ${why}`);
  }
}
