import { byId, el } from './dom.js';
import { markdown } from './markdown.js';

const MAX_SHOWN = 20_000;
const log = byId('conversation');

/** Tool call -> its `<details>`. */
let tools = new Map();
/** The answer that is being written. */
let live;

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
const cut = (text) =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… and ${text.length - MAX_SHOWN} characters more` : text;

/** Keeps the end in view for those who look at it, and nobody else. */
function keepingEnd(change) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  change();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

export function showAll(messages, liveEvents) {
  keepingEnd(() => {
    tools = new Map();
    live = undefined;
    log.replaceChildren();
    for (const message of messages) show(message);
    for (const event of liveEvents) hear(event);
  });
  log.scrollTop = log.scrollHeight;
}

/** What an event changes in the conversation. */
export function hear(event) {
  keepingEnd(() => {
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') begin();
        return;
      case 'message_update':
        return grow(event.assistantMessageEvent);
      case 'message_end':
        live?.article.remove();
        live = undefined;
        return show(event.message);
      case 'tool_execution_start':
        return toolBlock(event.toolCallId, event.toolName, event.args);
      case 'tool_execution_update':
        return toolText(event.toolCallId, textOf(event.partialResult?.content), false);
      case 'tool_execution_end':
        return toolText(event.toolCallId, textOf(event.result?.content), event.isError);
      case 'compaction_end':
        if (event.result) log.append(el('article', { class: 'quiet' }, 'What was said before is summarised.'));
        return;
      case 'auto_retry_start':
        log.append(
          el('article', { class: 'quiet' }, `Asked again in ${Math.round(event.delayMs / 1000)} s: ${event.errorMessage ?? ''}`),
        );
    }
  });
}

function show(message) {
  const { role, content } = message;
  if (role === 'user') {
    log.append(el('article', { class: 'user' }, el('p', {}, textOf(content)), ...images(content)));
  } else if (role === 'assistant') {
    for (const part of content) {
      if (part.type === 'thinking' && part.thinking) log.append(thinking(part.thinking));
      if (part.type === 'text' && part.text) log.append(el('article', {}, ...markdown(part.text)));
      if (part.type === 'toolCall') toolBlock(part.id, part.name, part.arguments);
    }
    if (message.errorMessage) log.append(el('article', { class: 'bad' }, message.errorMessage));
  } else if (role === 'toolResult') {
    toolText(message.toolCallId, textOf(content), message.isError);
    for (const image of images(content)) tools.get(message.toolCallId)?.append(image);
  } else if (role === 'bashExecution') {
    log.append(fold(`$ ${message.command}`, message.output ?? '', message.exitCode ? 'bad' : ''));
  } else if (message.display !== false) {
    log.append(el('article', {}, ...markdown(textOf(content) || message.summary || '')));
  }
}

const images = (content) =>
  Array.isArray(content)
    ? content
        .filter((part) => part.type === 'image' && /^image\/(?:png|jpeg|gif|webp)$/.test(part.mimeType))
        .map((part) => el('img', { src: `data:${part.mimeType};base64,${part.data}`, alt: 'An image of the conversation' }))
    : [];

function fold(title, text, kind = '') {
  return el('details', { class: kind }, el('summary', {}, title), el('pre', { tabindex: '0' }, cut(text)));
}

const thinking = (text) => fold('Thinking', text);

function begin() {
  const article = el('article', {});
  live = { article, parts: new Map() };
  log.append(article);
}

/** Deltas of a block join; Markdown is made of the whole when the message is complete. */
function grow({ type, contentIndex, delta }) {
  if (!live || (type !== 'text_delta' && type !== 'thinking_delta')) return;
  let part = live.parts.get(contentIndex);
  if (!part) {
    const text = document.createTextNode('');
    const block =
      type === 'text_delta'
        ? el('p', {}, text)
        : el('details', {}, el('summary', {}, 'Thinking'), el('pre', { tabindex: '0' }, text));
    part = { text, block };
    live.parts.set(contentIndex, part);
    live.article.append(block);
  }
  part.text.appendData(delta);
}

function toolBlock(id, name, args) {
  if (tools.has(id)) return;
  const short = JSON.stringify(args ?? {});
  const block = el(
    'details',
    {},
    el('summary', {}, `${name} ${short.length > 120 ? `${short.slice(0, 120)}…` : short}`),
    el('pre', { tabindex: '0' }, cut(JSON.stringify(args ?? {}, null, 2))),
    el('pre', { tabindex: '0', class: 'result' }, '…'),
  );
  tools.set(id, block);
  log.append(block);
}

function toolText(id, text, isError) {
  const block = tools.get(id);
  if (!block) return;
  block.classList.toggle('bad', isError === true);
  block.querySelector('.result').textContent = cut(text) || '(nothing)';
}
