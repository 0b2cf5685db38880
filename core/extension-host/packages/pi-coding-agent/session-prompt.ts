import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ImageContent, UserContent } from '../../../protocol/content.js';
import type { UserMessage } from '../../../protocol/messages.js';
import type { Tool } from '../../../protocol/tool.js';
import { buildSystemPrompt, localDate, toolParts } from '../../../resources/system-prompt.js';
import { fillTemplate, splitArguments } from '../../../resources/template-grammar.js';
import { stripFrontmatter } from './front-matter.js';
import type { ResourceLoader } from './resource-loader.js';
import { formatSkillsForPrompt } from './skills.js';

/** An image as the documents show it, in one of two forms. Source: sdk document; session-format document. */
export type PromptImage = ImageContent | { type: 'image'; source: { mediaType: string; data: string } };

/** The system prompt of a session, from what its loader found and the tools it offers. */
export function systemPromptOf(loader: ResourceLoader, tools: readonly Tool[], cwd: string): string {
  const customPrompt = loader.getSystemPrompt();
  const append = loader.getAppendSystemPrompt().join('\n\n');
  const { skills } = loader.getSkills();
  const canRead = tools.some(({ name }) => name === 'read');
  return buildSystemPrompt({
    cwd,
    skills,
    skillsSection: canRead ? formatSkillsForPrompt(skills) : '',
    contextFiles: loader.getAgentsFiles().agentsFiles,
    ...toolParts(tools),
    ...(customPrompt === undefined ? {} : { customPrompt }),
    ...(append === '' ? {} : { appendSystemPrompt: append }),
    date: localDate(new Date()),
  });
}

/** `/skill:name args` and `/template args` put in full; any other text as it is. */
export async function expandSlash(loader: ResourceLoader, text: string): Promise<string> {
  const match = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined) return text;
  const args = match?.[2] ?? '';
  if (!name.startsWith('skill:')) {
    const template = loader.getPrompts().prompts.find((one) => one.name === name);
    return template ? fillTemplate(template.content, splitArguments(args)) : text;
  }
  const skill = loader.getSkills().skills.find((one) => one.name === name.slice('skill:'.length));
  if (!skill) return text;
  const body = stripFrontmatter(await readFile(skill.filePath, 'utf8'));
  const place = `Paths in this skill count from ${skill.baseDir ?? dirname(skill.filePath)}`;
  const block = `<skill name="${skill.name}" location="${skill.filePath}">\n${place}\n\n${body.trim()}\n</skill>`;
  return args.trim() === '' ? block : `${block}\n\nUser: ${args.trim()}`;
}

export function userMessage(content: string | UserContent[], images: readonly PromptImage[] = []): UserMessage {
  const blocks: UserContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { role: 'user', content: [...blocks, ...images.map(toImage)], timestamp: Date.now() };
}

function toImage(image: PromptImage): ImageContent {
  return 'source' in image ? { type: 'image', data: image.source.data, mimeType: image.source.mediaType } : image;
}
