import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExtensionContext } from '../../core/extension-host/contract/public.js';
import { hostPackage } from '../shared/host-package.js';
import { projectTrust } from '../shared/project-trust.js';
import { type ServerConfig, toServerConfig } from './server-config.js';

export interface Configuration {
  servers: ServerConfig[];
  /** A sentence for each thing that can't be used. */
  problems: string[];
}

/**
 * Every server by its name: of the user's `mcp.json`, and of the project's where a person trusts the project. A project's takes the place of
 * a user's of the same name, `.pi/mcp.json` that of one in `.mcp.json`.
 */
export async function readConfiguration(ctx: ExtensionContext): Promise<Configuration> {
  const { getAgentDir } = await hostPackage();
  const files = [path.join(getAgentDir(), 'mcp.json')];
  const ofProject = [path.join(ctx.cwd, '.mcp.json'), path.join(ctx.cwd, '.pi', 'mcp.json')];
  const servers = new Map<string, ServerConfig>();
  const problems: string[] = [];
  if ((await projectTrust(ctx)) === 'trusted') files.push(...ofProject);
  else {
    for (const file of ofProject) {
      if ((await readText(file, problems)) !== undefined) {
        problems.push(`${file} is not read: the project is not trusted (run "pi trust" there, or pass --approve)`);
      }
    }
  }
  for (const file of files) {
    for (const [name, given] of await serversIn(file, problems)) {
      try {
        servers.set(name, toServerConfig(name, given, file, process.env));
      } catch (error) {
        // One that is wrong still takes the place of another, which was not meant.
        servers.delete(name);
        problems.push(`${file}: server "${name}": ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { servers: [...servers.values()], problems };
}

async function serversIn(file: string, problems: string[]): Promise<[string, unknown][]> {
  const text = await readText(file, problems);
  if (text === undefined) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // What the parser says would quote the file, in which there may be keys.
    problems.push(`${file} is no JSON`);
    return [];
  }
  const servers = (parsed as { mcpServers?: unknown } | null)?.mcpServers;
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
    problems.push(`${file} has no object "mcpServers"`);
    return [];
  }
  return Object.entries(servers);
}

async function readText(file: string, problems: string[]): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(`${file} can't be read (${code})`);
    return undefined;
  }
}
