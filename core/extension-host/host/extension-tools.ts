import { CodedError } from '../../base/coded-error.js';
import type { Tool, ToolResult } from '../../protocol/tool.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { BridgedTool } from '../contract/tools.js';
import { type ExtensionRecord, RESTART_MS } from './extension-record.js';
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
  readonly #made = new WeakMap<BridgedTool, Tool>();

  constructor(bridgeOf: (record: ExtensionRecord) => WorkerBridge | undefined) {
    this.#bridgeOf = bridgeOf;
  }

  offered(records: readonly ExtensionRecord[]): { tools: OfferedTool[]; collisions: Collision[] } {
    const tools = new Map<string, OfferedTool>();
    const collisions: Collision[] = [];
    for (const record of records) {
      for (const definition of record.tools.values()) {
        const first = tools.get(definition.name);
        if (first) collisions.push({ kind: 'tool', name: definition.name, winner: first.record, loser: record });
        else tools.set(definition.name, { record, tool: this.#tool(record, definition) });
      }
    }
    return { tools: [...tools.values()], collisions };
  }

  #tool(record: ExtensionRecord, definition: BridgedTool): Tool {
    const known = this.#made.get(definition);
    if (known) return known;
    const { prepares, renders, ...rest } = definition;
    void renders;
    const tool: Tool = {
      ...rest,
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
