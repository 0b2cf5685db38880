import type {
  AssistantMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
} from '../../../protocol/messages.js';
import { defaultTheme } from '../theme.js';
import { getMarkdownTheme } from './component-themes.js';
import { keyHint } from './key-hints.js';
import type { SkillBlock } from './skill-block.js';
import { Box, type Component, Container, Markdown, type MarkdownTheme, Spacer, Text } from './tui.js';

/** An answer of the model: thinking, text, and what went wrong. */
export class AssistantMessageComponent extends Container {
  #message: AssistantMessage | undefined;
  #hideThinking: boolean;
  #hiddenLabel: string;
  #pad: number;
  readonly #markdown: MarkdownTheme;

  constructor(
    message?: AssistantMessage,
    hideThinkingBlock = false,
    markdownTheme: MarkdownTheme = getMarkdownTheme(),
    hiddenThinkingLabel = 'Thinking...',
    outputPad = 1,
  ) {
    super();
    this.#message = message;
    this.#hideThinking = hideThinkingBlock;
    this.#markdown = markdownTheme;
    this.#hiddenLabel = hiddenThinkingLabel;
    this.#pad = outputPad;
    this.#rebuild();
  }

  updateContent(message: AssistantMessage): void {
    this.#message = message;
    this.#rebuild();
  }

  setHideThinkingBlock(hide: boolean): void {
    this.#hideThinking = hide;
    this.#rebuild();
  }

  setHiddenThinkingLabel(label: string): void {
    this.#hiddenLabel = label;
    this.#rebuild();
  }

  setOutputPad(pad: number): void {
    this.#pad = pad;
    this.#rebuild();
  }

  #rebuild(): void {
    this.clear();
    const theme = defaultTheme();
    const { content = [], stopReason, errorMessage } = this.#message ?? {};
    for (const block of content) {
      if (block.type === 'text' && block.text.trim() !== '') {
        this.addChild(new Spacer(1));
        this.addChild(new Markdown(block.text.trim(), this.#pad, 0, this.#markdown));
      } else if (block.type === 'thinking' && block.thinking.trim() !== '') {
        this.addChild(new Spacer(1));
        const style = { color: (text: string) => theme.fg('thinkingText', text), italic: true };
        this.addChild(
          this.#hideThinking
            ? new Text(theme.italic(theme.fg('thinkingText', this.#hiddenLabel)), this.#pad, 0)
            : new Markdown(block.thinking.trim(), this.#pad, 0, this.#markdown, style),
        );
      }
    }
    const ended =
      stopReason === 'aborted' ? 'Operation aborted' : stopReason === 'error' ? `Error: ${errorMessage ?? 'unknown'}` : undefined;
    if (ended === undefined) return;
    this.addChild(new Spacer(1));
    this.addChild(new Text(theme.fg('error', ended), this.#pad, 0));
  }
}

/** What the user said. */
export class UserMessageComponent extends Container {
  readonly #text: string;
  readonly #markdown: MarkdownTheme;
  #pad: number;

  constructor(text: string, markdownTheme: MarkdownTheme = getMarkdownTheme(), outputPad = 1) {
    super();
    this.#text = text;
    this.#markdown = markdownTheme;
    this.#pad = outputPad;
    this.#rebuild();
  }

  setOutputPad(pad: number): void {
    this.#pad = pad;
    this.#rebuild();
  }

  #rebuild(): void {
    this.clear();
    const theme = defaultTheme();
    const box = new Box(this.#pad, 1, (text) => theme.bg('userMessageBg', text));
    box.addChild(new Markdown(this.#text, 0, 0, this.#markdown, { color: (text) => theme.fg('userMessageText', text) }));
    this.addChild(new Spacer(1));
    this.addChild(box);
  }
}

/** A box with a label whose text is folded until it is wanted. */
class FoldedMessage extends Box {
  readonly #label: string;
  readonly #folded: string;
  readonly #markdown: MarkdownTheme;
  readonly #text: string;
  #expanded = false;

  constructor(label: string, folded: string, text: string, markdown: MarkdownTheme) {
    super(1, 1, (line) => defaultTheme().bg('customMessageBg', line));
    this.#label = label;
    this.#folded = folded;
    this.#text = text;
    this.#markdown = markdown;
    this.#rebuild();
  }

  setExpanded(expanded: boolean): void {
    this.#expanded = expanded;
    this.#rebuild();
  }

  #rebuild(): void {
    this.clear();
    const theme = defaultTheme();
    this.addChild(new Text(theme.fg('customMessageLabel', theme.bold(`[${this.#label}]`)), 0, 0));
    if (this.#expanded) this.addChild(new Markdown(this.#text, 0, 0, this.#markdown));
    else this.addChild(new Text(`${this.#folded} (${keyHint('app.tools.expand', 'to expand')})`, 0, 0));
  }
}

export class SkillInvocationMessageComponent extends FoldedMessage {
  constructor(skill: SkillBlock, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
    super('skill', skill.name, `**${skill.name}**\n\n${skill.content}`, markdownTheme);
  }
}

export class BranchSummaryMessageComponent extends FoldedMessage {
  constructor(message: BranchSummaryMessage, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
    super('branch', 'Summary of a branch', message.summary, markdownTheme);
  }
}

export class CompactionSummaryMessageComponent extends FoldedMessage {
  constructor(message: CompactionSummaryMessage, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
    super('compaction', `Compacted from ${message.tokensBefore} tokens`, message.summary, markdownTheme);
  }
}

export type MessageRenderer = (
  message: CustomMessage,
  options: { expanded: boolean },
  theme: ReturnType<typeof defaultTheme>,
) => Component | undefined;

/** A message of an extension, as its renderer shows it, or as it is. */
export class CustomMessageComponent extends Container {
  readonly #message: CustomMessage;
  readonly #renderer: MessageRenderer | undefined;
  readonly #markdown: MarkdownTheme;
  #expanded = false;
  #pad = 1;

  constructor(message: CustomMessage, renderer?: MessageRenderer, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
    super();
    this.#message = message;
    this.#renderer = renderer;
    this.#markdown = markdownTheme;
    this.#rebuild();
  }

  setExpanded(expanded: boolean): void {
    this.#expanded = expanded;
    this.#rebuild();
  }

  setOutputPad(pad: number): void {
    this.#pad = pad;
    this.#rebuild();
  }

  #rebuild(): void {
    this.clear();
    this.addChild(new Spacer(1));
    this.addChild(this.#renderer?.(this.#message, { expanded: this.#expanded }, defaultTheme()) ?? this.#plain());
  }

  #plain(): Component {
    const theme = defaultTheme();
    const { content, customType } = this.#message;
    const text =
      typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '[image]')).join('\n');
    const box = new Box(this.#pad, 1, (line) => theme.bg('customMessageBg', line));
    box.addChild(new Text(theme.fg('customMessageLabel', theme.bold(`[${customType}]`)), 0, 0));
    box.addChild(new Markdown(text, 0, 0, this.#markdown));
    return box;
  }
}
