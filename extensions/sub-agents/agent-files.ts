import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExtensionContext } from '../../core/extension-host/contract/public.js';
import { hostPackage } from '../shared/host-package.js';
import { projectTrust } from '../shared/project-trust.js';

/** Who does a task: a file of Markdown describes it. */
export interface AgentProfile {
  name: string;
  description: string;
  /** Undefined: those of the session that asks. */
  tools?: string[];
  /** As `--model` takes it. Undefined: that of the session that asks. */
  model?: string;
  thinking?: string;
  /** Added to the system prompt. */
  prompt: string;
  file?: string;
  scope: 'built in' | 'user' | 'project';
}

export interface AgentList {
  agents: ReadonlyMap<string, AgentProfile>;
  /** A sentence for each file that can't be used. */
  problems: string[];
}

/** Asked when no agent is named. */
export const GENERAL: AgentProfile = {
  name: 'general',
  description: 'Any task, with the model and the tools of this session',
  prompt: 'You do one task for another agent. It sees nothing but your last message: put everything into it that was asked for.',
  scope: 'built in',
};

const MAX_FILE_BYTES = 256 * 1024;
const NAME = /^[\w.-]{1,64}$/;

/**
 * Every agent by its name: of the user's folder, and of the project's where the project is trusted. A project's takes the place of a user's
 * of the same name.
 */
export async function listAgents(ctx: Pick<ExtensionContext, 'cwd' | 'isProjectTrusted'>): Promise<AgentList> {
  const { getAgentDir } = await hostPackage();
  const userFolder = path.join(getAgentDir(), 'agents');
  const projectFolder = path.join(ctx.cwd, '.pi', 'agents');
  const agents = new Map([[GENERAL.name, GENERAL]]);
  const problems: string[] = [];
  const folders: [folder: string, scope: AgentProfile['scope']][] = [[userFolder, 'user']];
  if (projectFolder !== userFolder && (await projectTrust(ctx)) === 'trusted') folders.push([projectFolder, 'project']);
  for (const [folder, scope] of folders) {
    for (const file of await markdownFiles(folder)) {
      try {
        const profile = await readAgent(file, scope);
        const same = agents.get(profile.name);
        if (same?.scope === scope) problems.push(`${file}: there is an agent "${profile.name}" already, in ${same.file}`);
        else agents.set(profile.name, profile);
      } catch (error) {
        problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { agents, problems };
}

async function markdownFiles(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`The agents in ${folder} can't be read`, { cause: error });
  }
}

async function readAgent(file: string, scope: AgentProfile['scope']): Promise<AgentProfile> {
  const bytes = await readFile(file);
  if (bytes.length > MAX_FILE_BYTES) throw new Error(`larger than ${MAX_FILE_BYTES / 1024} KB`);
  const { parseFrontmatter } = await hostPackage();
  return { ...toProfile(parseFrontmatter(bytes.toString('utf8')), path.basename(file, '.md')), file, scope };
}

/** Throws with a sentence that says which member is wrong. */
export function toProfile(
  { frontmatter, body }: { frontmatter: Record<string, unknown>; body: string },
  fallbackName: string,
): Omit<AgentProfile, 'scope'> {
  const text = (key: string): string | undefined => {
    const value = frontmatter[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new Error(`"${key}" must be a text`);
    return value.trim() || undefined;
  };
  const name = text('name') ?? fallbackName;
  if (!NAME.test(name)) throw new Error(`"name" may have letters, digits and _ . - only, 64 at most: ${JSON.stringify(name)}`);
  const description = text('description');
  if (description === undefined) throw new Error('"description" is missing: it says when to use this agent');
  const tools = toList(frontmatter.tools);
  const model = text('model');
  const thinking = text('thinking');
  const prompt = [text('prompt'), body.trim()].filter(Boolean).join('\n\n');
  return {
    name,
    description,
    prompt,
    ...(tools && { tools }),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** A list, or one text with commas. */
function toList(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const items: unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [undefined];
  const texts = items.filter((item): item is string => typeof item === 'string');
  if (texts.length < items.length) throw new Error('"tools" must be a list of names');
  return texts.map((item) => item.trim()).filter(Boolean);
}
