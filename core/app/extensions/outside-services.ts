import path from 'node:path';
import { CodedError } from '../../base/coded-error.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { ExtensionServices } from '../../extension-host/host/extensions.js';
import { programEnvironment } from '../../extension-host/host/sandbox/sandbox-environment.js';
import type { Grants } from '../../trust/grants.js';

export interface OutsideServicesOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  recordOf: (extension: string) => ExtensionRecord;
  deny: (record: ExtensionRecord, what: string, capability: string) => CodedError;
}

/** Network and programs for extensions that have neither: each request is looked at here, where it is carried out. */
export function createOutsideServices({
  cwd,
  env,
  recordOf,
  deny,
}: OutsideServicesOptions): Pick<ExtensionServices, 'net.fetch' | 'exec.run'> {
  const granted = (extension: string): { record: ExtensionRecord; grants: Grants } => {
    const record = recordOf(extension);
    const { grants } = record.spec;
    if (grants) return { record, grants };
    throw new CodedError('EXTENSION_BAD_REQUEST', 'A trusted extension does this itself');
  };
  return {
    'net.fetch': async ([extension, request], { signal, progress }) => {
      const { record, grants } = granted(extension);
      const { fetchGranted } = await import('./granted-fetch.js');
      return fetchGranted(request, {
        grants,
        signal,
        onHead: (head) => progress({ head }),
        onChunk: (chunk) => {
          // Frames and memory stay small, whatever the network gives at once.
          for (let at = 0; at < chunk.length; at += CHUNK_BYTES)
            progress({ chunk: chunk.subarray(at, at + CHUNK_BYTES).toString('base64') });
        },
        denied: (capability) => deny(record, `fetch of ${new URL(request.url).origin}`, capability),
      });
    },
    'exec.run': async ([extension, program], { signal }) => {
      const { record, grants } = granted(extension);
      if (!grants.mayRun(program.command))
        throw deny(record, `Running ${JSON.stringify(program.command)}`, `exec:${program.command}`);
      const { runGranted } = await import('./granted-exec.js');
      const { command, args, timeout } = program;
      return runGranted({
        command,
        args,
        cwd: path.resolve(cwd, program.cwd ?? '.'),
        env: programEnvironment(env, grants),
        signal,
        ...(timeout !== undefined && { timeout }),
      });
    },
  };
}

const CHUNK_BYTES = 256 * 1024;
