import { byId, el } from './dom.js';

const SHOWN_MS = 8_000;
const MAX_SHOWN = 5;
const box = byId('notices');
const statuses = new Map();

export function notify(message, level = 'info') {
  const note = el('div', { class: level }, message);
  box.append(note);
  while (box.children.length > MAX_SHOWN) box.firstElementChild.remove();
  setTimeout(() => note.remove(), SHOWN_MS);
}

export function setStatus(key, text) {
  if (text === undefined) statuses.delete(key);
  else statuses.set(key, text);
  byId('status').textContent = [...statuses.values()].join(' · ');
}

export function setWidget({ widgetKey, widgetLines, widgetPlacement }) {
  const id = `widget-${widgetKey}`;
  document.getElementById(id)?.remove();
  if (!widgetLines) return;
  const place = byId(widgetPlacement === 'belowEditor' ? 'widgets-below' : 'widgets-above');
  place.append(el('pre', { id, tabindex: '0' }, widgetLines.join('\n')));
}

export function setTitle(title) {
  byId('title').textContent = title || 'pi';
  document.title = title || 'pi';
}

export function clearAll() {
  statuses.clear();
  byId('status').textContent = '';
  for (const widget of document.querySelectorAll('.widgets > pre')) widget.remove();
}
