// Runs the commands that a client sends (`bash`) somewhere else: here in a folder of their own.
// Try: send {"type":"bash","command":"pwd"} to pi --mode rpc -e examples/extensions/elsewhere.ts
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BashOperations, ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'elsewhere-'));
  const operations: BashOperations = {
    exec: (command, _cwd, { onData, signal }) =>
      new Promise((resolve, reject) => {
        const child = spawn('sh', ['-c', command], { cwd: folder, ...(signal && { signal }) });
        child.stdout.on('data', onData);
        child.stderr.on('data', onData);
        child.once('error', reject);
        child.once('close', (exitCode) => resolve({ exitCode }));
      }),
  };
  pi.on('user_bash', () => ({ operations }));
}
