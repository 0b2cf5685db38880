import { command } from './api.js';
import { setText } from './composer.js';
import { byId, el } from './dom.js';
import { notify } from './notices.js';

const dialog = byId('tree');
byId('tree-close').addEventListener('click', () => dialog.close());

const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(' '));

/** Shows the session as a tree: what was said, where the conversation is, and the ways to go on from elsewhere. */
export async function showTree() {
  const { success, data, error } = await command('get_tree');
  if (!success) return notify(error, 'error');
  byId('tree-body').replaceChildren(list(data.tree, data.leafId));
  dialog.showModal();
  return undefined;
}

const list = (nodes, leafId) => el('ul', {}, ...nodes.flatMap((node) => items(node, leafId)));

/** A chain is flat; only where it parts does it go in. */
function items(first, leafId) {
  const found = [];
  let node = first;
  for (;;) {
    const item = itemOf(node, leafId);
    if (item) found.push(item);
    if (node.children.length !== 1) break;
    [node] = node.children;
  }
  if (node.children.length > 1) found.push(...node.children.map((child) => el('li', {}, list([child], leafId))));
  return found;
}

function itemOf({ entry, label }, leafId) {
  const { id, message } = entry;
  if (!message || !['user', 'assistant'].includes(message.role)) return undefined;
  const text = textOf(message).trim().slice(0, 80);
  if (text === '') return undefined;
  const words = `${message.role === 'user' ? 'You: ' : ''}${text}${label ? ` (${label})` : ''}`;
  const go = el('button', { type: 'button', onclick: () => move('navigate_tree', id) }, 'Go here');
  const fork = message.role === 'user' ? el('button', { type: 'button', onclick: () => move('fork', id) }, 'Fork') : undefined;
  return el('li', { class: id === leafId ? 'here' : undefined }, el('span', {}, `${words} `), go, ' ', fork);
}

async function move(type, entryId) {
  dialog.close();
  const { success, data, error } = await command(type, { entryId });
  if (!success) notify(error, 'error');
  // At a message of yours: it is yours to say again, differently.
  else if (data.text || data.editorText) setText(data.text ?? data.editorText);
}
