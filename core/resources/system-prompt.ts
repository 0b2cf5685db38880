import type { ContextFile } from './context-files.js';
import type { SkillInfo } from './skills.js';

/**
 * What the system prompt is built from. Extensions get exactly this as `systemPromptOptions`.
 * Source: "Extensions", before_agent_start.
 */
export interface SystemPromptOptions {
  readonly cwd: string;
  /** The skills that were loaded; what the model is told of them is {@link SystemPromptParts.skillsSection}. */
  readonly skills: readonly SkillInfo[];
  readonly contextFiles: readonly ContextFile[];
  /** Names of the tools the model is offered. */
  readonly selectedTools: readonly string[];
  /** One line for each tool that has one, by name. */
  readonly toolSnippets: Readonly<Record<string, string>>;
  /** Bullet points that tools bring along. */
  readonly promptGuidelines: readonly string[];
  /** Replaces our own text, list of tools and guidelines. */
  readonly customPrompt?: string;
  readonly appendSystemPrompt?: string;
}

export interface SystemPromptParts extends SystemPromptOptions {
  /** Ready-made text about skills. */
  readonly skillsSection?: string;
  /** `2026-07-31`. A day and no time, so that the prompts of one day are equal and a provider's cache serves them. */
  readonly date: string;
}

const BASE = `You are pi, a coding assistant that works through the tools of this program on the user's own machine.
You read and search files, run commands, change code and write new files until what the user asked for is done, or you can say what stands in the way.`;

/** Guidelines of our own. Those with `tools` are given only when all of these are offered. */
const GUIDELINES: readonly { readonly text: string; readonly tools?: readonly string[] }[] = [
  { text: 'Look before you change: read the files a change touches, and follow the style you find there.' },
  {
    text: 'Prefer edit for a change to a file that exists; use write for new files or complete rewrites.',
    tools: ['edit', 'write'],
  },
  { text: 'Use bash to list and search files (ls, rg, find).', tools: ['bash'] },
  { text: 'Check what you did, with the tests or by running it, and say plainly what you could not check.' },
  { text: 'Be brief. Name files by their path.' },
];

/** The prompt as it is sent, and what it was built from. */
export interface SystemPrompt {
  readonly text: string;
  readonly options: SystemPromptOptions;
}

/** {@link buildSystemPrompt}, with the parts that extensions are shown beside it; those are copies, for whoever changes them. */
export function createSystemPrompt(parts: SystemPromptParts): SystemPrompt {
  const { skillsSection: _section, date: _date, ...options } = parts;
  return { text: buildSystemPrompt(parts), options: structuredClone(options) };
}

/** Puts the system prompt together. Pure: equal parts give equal text. */
export function buildSystemPrompt(parts: SystemPromptParts): string {
  const sections = parts.customPrompt === undefined ? defaultSections(parts) : [parts.customPrompt.trim()];
  sections.push(parts.appendSystemPrompt?.trim() ?? '', contextSection(parts.contextFiles), parts.skillsSection?.trim() ?? '');
  // Last, so that what comes before is the same in every directory and on every day, and can be cached.
  sections.push(`Current date: ${parts.date}\nCurrent working directory: ${parts.cwd}`);
  return sections.filter((section) => section !== '').join('\n\n');
}

/** The day of `now` where the user is, `2026-07-31`. */
export function localDate(now: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** What the prompt says about a tool. Tools without a snippet are not listed: the model sees their schema anyway. */
export interface PromptTool {
  readonly name: string;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
}

/** The three parts of the prompt that come from the offered tools. Several tools may bring the same guideline: it is kept once. */
export function toolParts(
  tools: readonly PromptTool[],
): Pick<SystemPromptOptions, 'selectedTools' | 'toolSnippets' | 'promptGuidelines'> {
  const snippets = tools.flatMap((tool) => (tool.promptSnippet?.trim() ? [[tool.name, tool.promptSnippet] as const] : []));
  return {
    selectedTools: tools.map((tool) => tool.name),
    toolSnippets: Object.fromEntries(snippets),
    promptGuidelines: [...new Set(tools.flatMap((tool) => tool.promptGuidelines ?? []))],
  };
}

function defaultSections(parts: SystemPromptParts): string[] {
  const tools = parts.selectedTools.flatMap((name) => {
    const snippet = Object.hasOwn(parts.toolSnippets, name) ? parts.toolSnippets[name] : undefined;
    return snippet ? [`- ${name}: ${oneLine(snippet)}`] : [];
  });
  const own = GUIDELINES.filter((line) => line.tools?.every((tool) => parts.selectedTools.includes(tool)) ?? true);
  const guidelines = [...own.map((line) => line.text), ...parts.promptGuidelines].filter((line) => line.trim() !== '');
  return [
    BASE,
    tools.length === 0 ? '' : `Available tools:\n${tools.join('\n')}`,
    `Guidelines:\n${guidelines.map((line) => `- ${oneLine(line)}`).join('\n')}`,
  ];
}

function contextSection(files: readonly ContextFile[]): string {
  if (files.length === 0) return '';
  const intro =
    'Instructions from files of the user and this project, the most general first. Where two disagree, the later one counts.';
  const blocks = files.map((file) => `<context_file path="${attribute(file.path)}">\n${file.content.trim()}\n</context_file>`);
  return ['# Project context', intro, ...blocks].join('\n\n');
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('\n', '&#10;');
}
