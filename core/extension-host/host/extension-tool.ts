import type { Tool } from '../../protocol/tool.js';
import type { RegisteredTool, WorkerBridge } from './worker-bridge.js';

/** A tool of an extension as the agent runs it. Rejects with `WORKER_EXITED` or `HOST_EXITED` when what it runs in ends. */
export function toAgentTool(registered: RegisteredTool, bridge: WorkerBridge): Tool {
  return {
    ...registered.definition,
    execute: (args, { toolCallId, signal, onUpdate }) =>
      bridge.executeTool(registered, toolCallId, args, { signal, onProgress: onUpdate }),
  };
}
