import { agentDir as agentDirOf } from '../resources/agent-dir.js';
import { loadSettings } from '../resources/settings.js';
import { openRegistry } from './compose.js';
import type { SubcommandIo } from './subcommands.js';

/** The table of `--list-models`: every model with credentials, or those that match `search`. A hidden provider is listed when it is named. */
export async function listModels(
  search: string | true,
  named: { provider?: string | undefined; model?: string | undefined },
  { env, cwd, stderr }: SubcommandIo,
): Promise<string> {
  const registry = openRegistry(env, cwd, ({ message }) => stderr(`pi: ${message}\n`));
  const { settings } = loadSettings({ agentDir: agentDirOf(env, cwd), cwd, projectTrusted: false });
  for (const name of [named.provider, named.model?.split('/')[0], settings.defaultProvider])
    if (name !== undefined) await registry.reveal(name);
  await registry.reportUnknownApis();
  return registry.listTable(search === true ? undefined : search);
}
