import { openRegistry } from './compose.js';
import type { SubcommandIo } from './subcommands.js';

/** The table of `--list-models`: every model with credentials, or those that match `search`. */
export async function listModels(search: string | true, { env, cwd, stderr }: SubcommandIo): Promise<string> {
  const registry = openRegistry(env, cwd, ({ message }) => stderr(`pi: ${message}\n`));
  return registry.listTable(search === true ? undefined : search);
}
