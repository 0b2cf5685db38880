import { type ExtensionFlag, parseArguments, unknownOptionError } from '../modes/cli/parse-arguments.js';
import type { App } from './compose.js';

/** What the command line says once the flags of extensions are known. */
export type ClaimedArguments =
  | { ok: true; messages: readonly string[]; fileArgs: readonly string[] }
  | { ok: false; message: string };

/**
 * Reads the arguments again with the flags that extensions registered: an option may have taken what looked like a prompt. Waits for the
 * extensions. An option nobody has is an error.
 */
export async function claimOptions(argv: readonly string[], app: App): Promise<ClaimedArguments> {
  await app.extensions.lifecycle.ready;
  const flags: ExtensionFlag[] = app.extensions.extensions.records.flatMap((record) => [...record.flags.values()]);
  const parsed = parseArguments(argv, flags);
  if (!parsed.ok) return { ok: false, message: parsed.error.message };
  const [stranger] = parsed.unknown;
  if (stranger) return { ok: false, message: unknownOptionError(stranger.spelling, flags).message };
  return { ok: true, messages: parsed.messages, fileArgs: parsed.fileArgs };
}
