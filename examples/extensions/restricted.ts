// @pi-capabilities ui commands fs:read:$CWD
// Says what it needs, in the line above. Somebody who does not trust it gives it that and nothing else:
//   pi ext trust examples/extensions/restricted.ts restricted ui commands 'fs:read:$CWD'
import { readFileSync } from 'node:fs';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('peek', {
    description: 'Reads a file, if it may',
    handler: async (file, ctx) => {
      try {
        ctx.ui.notify(readFileSync(file, 'utf8').slice(0, 200));
      } catch (error) {
        ctx.ui.notify(`Not read: ${(error as Error).message}`, 'warning');
      }
    },
  });
}
