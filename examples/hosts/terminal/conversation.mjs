// What was said, line by line, as it is said.
import { Container, Markdown, Spacer, Text } from '@mariozechner/pi-tui';
import { bold, dim, markdownTheme, red } from './theme.mjs';

const MAX_RESULT_LINES = 8;

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
const firstLines = (text) => {
  const lines = text.trimEnd().split('\n');
  const more = lines.length > MAX_RESULT_LINES ? [`… ${lines.length - MAX_RESULT_LINES} lines more`] : [];
  return [...lines.slice(0, MAX_RESULT_LINES), ...more].map((line) => `  ${line}`).join('\n');
};

export class Conversation extends Container {
  /** Tool call -> where its result is shown. */
  #tools = new Map();
  /** Blocks of the answer that is being written: index -> its text and what shows it. */
  #live = new Map();

  showAll(messages) {
    this.clear();
    this.#tools.clear();
    for (const message of messages) this.show(message);
  }

  say(text) {
    this.addChild(new Text(text, 0, 0));
  }

  show({ role, content, errorMessage, toolCallId, isError }) {
    if (role === 'user') this.addChild(new Text(bold(`› ${textOf(content)}`), 0, 1));
    else if (role === 'toolResult') this.#result(toolCallId, textOf(content), isError);
    else if (role === 'assistant') {
      for (const part of content) {
        if (part.type === 'text' && part.text.trim() !== '') this.addChild(new Markdown(part.text, 0, 0, markdownTheme));
        if (part.type === 'toolCall') this.#call(part.id, part.name, part.arguments);
      }
      if (errorMessage) this.say(red(errorMessage));
      this.addChild(new Spacer(1));
    } else if (textOf(content) !== '') this.addChild(new Markdown(textOf(content), 0, 0, markdownTheme));
  }

  /** What an event changes. */
  hear(event) {
    switch (event.type) {
      case 'message_update':
        return this.#grow(event.assistantMessageEvent);
      case 'message_end':
        for (const { view } of this.#live.values()) this.removeChild(view);
        this.#live.clear();
        return this.show(event.message);
      case 'tool_execution_start':
        return this.#call(event.toolCallId, event.toolName, event.args);
      case 'tool_execution_update':
        return this.#result(event.toolCallId, textOf(event.partialResult?.content), false);
      case 'tool_execution_end':
        return this.#result(event.toolCallId, textOf(event.result?.content), event.isError);
      case 'auto_retry_start':
        return this.say(dim(`asked again in ${Math.round(event.delayMs / 1000)} s`));
    }
  }

  #grow({ type, contentIndex, delta }) {
    if (type !== 'text_delta' && type !== 'thinking_delta') return;
    let block = this.#live.get(contentIndex);
    if (!block) {
      block = { text: '', view: new Text('', 0, 0) };
      this.#live.set(contentIndex, block);
      this.addChild(block.view);
    }
    block.text += delta;
    block.view.setText(type === 'text_delta' ? block.text : dim(block.text));
  }

  #call(id, name, args) {
    if (this.#tools.has(id)) return;
    this.say(`● ${bold(name)} ${dim(JSON.stringify(args ?? {}).slice(0, 200))}`);
    const view = new Text(dim('  …'), 0, 0);
    this.#tools.set(id, view);
    this.addChild(view);
  }

  #result(id, text, isError) {
    const shown = firstLines(text === '' ? '(nothing)' : text);
    this.#tools.get(id)?.setText(isError ? red(shown) : dim(shown));
  }
}
