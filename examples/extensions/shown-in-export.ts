// A tool whose call and result look their own way in the exported page.
// Try: use the tool, then pi --export <session> page.html
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Text } from '@earendil-works/pi-tui';
import { Type } from 'typebox';

export default function (pi: ExtensionAPI) {
  pi.registerTool({
    name: 'roll',
    label: 'Roll dice',
    description: 'Rolls dice',
    parameters: Type.Object({ dice: Type.Integer({ minimum: 1, maximum: 20 }) }),
    execute: async (_toolCallId, { dice }: { dice: number }) => {
      const eyes = Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * 6));
      return { content: [{ type: 'text', text: eyes.join(', ') }], details: { eyes } };
    },
    renderCall: ({ dice }: { dice: number }) => new Text(`rolls ${dice} dice`, 0, 0),
    renderResult: ({ details }: { details: { eyes: number[] } }) =>
      new Text(details.eyes.map((eye) => '⚀⚁⚂⚃⚄⚅'[eye - 1]).join(' '), 0, 0),
  });
}
