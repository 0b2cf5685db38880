// A tool for the model, with a schema for its parameters. What it throws, the model reads.
// Try: pi -e examples/extensions/tool.ts -p "How many days are between 2026-01-01 and 2026-03-01?"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Type } from 'typebox';

const DAY_MS = 24 * 60 * 60 * 1000;

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: 'days_between',
    label: 'Days between',
    description: 'Counts the days between two dates',
    parameters: Type.Object({ from: Type.String({ description: 'YYYY-MM-DD' }), to: Type.String({ description: 'YYYY-MM-DD' }) }),
    execute: async (_toolCallId, { from, to }: { from: string; to: string }) => {
      const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
      if (Number.isNaN(days)) throw new Error(`"${from}" or "${to}" is no date`);
      return { content: [{ type: 'text', text: `${days} days` }], details: { days } };
    },
  });
}
