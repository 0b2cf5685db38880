// A tool that takes its time: it says how far it is, and stops when the run is aborted.
// Try: pi --mode json -e examples/extensions/slow-tool.ts "Count to five slowly"
import { setTimeout as wait } from 'node:timers/promises';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Type } from 'typebox';

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: 'count_slowly',
    label: 'Count slowly',
    description: 'Counts, and takes its time',
    parameters: Type.Object({
      to: Type.Integer({ minimum: 1, maximum: 100 }),
      pauseMs: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    execute: async (_toolCallId, { to, pauseMs = 500 }: { to: number; pauseMs?: number }, signal, onUpdate) => {
      for (let at = 1; at <= to; at++) {
        // Rejects when the signal fires: the call ends there.
        await wait(pauseMs, undefined, { signal });
        onUpdate({ content: [{ type: 'text', text: `${at} of ${to}` }] });
      }
      return { content: [{ type: 'text', text: `Counted to ${to}` }] };
    },
  });
}
