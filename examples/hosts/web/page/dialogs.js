import { answer } from './api.js';
import { byId, el } from './dom.js';

const dialog = byId('dialog');
/** Oldest first; the first is shown. */
let waiting = [];
let shown;
let timer;

export function ask(request) {
  if (waiting.some(({ id }) => id === request.id)) return;
  waiting.push(request);
  next();
}

/** It was answered elsewhere, or nobody waits any more. */
export function close(id) {
  waiting = waiting.filter((request) => request.id !== id);
  if (shown?.id === id) hide();
  next();
}

export function closeAll() {
  for (const { id } of [...waiting]) close(id);
}

function hide() {
  shown = undefined;
  clearInterval(timer);
  // The browser gives the focus back to where it was.
  dialog.close();
}

function settle(value) {
  const { id } = shown;
  close(id);
  answer(id, value);
}

function next() {
  const [request] = waiting;
  if (shown || !request) return;
  shown = request;
  byId('dialog-title').textContent = request.title;
  byId('dialog-message').textContent = request.message ?? '';
  byId('dialog-from').textContent = request.extension ? `Asked by ${request.extension.name}` : '';
  const { body, buttons } = parts(request);
  byId('dialog-body').replaceChildren(...body);
  byId('dialog-buttons').replaceChildren(...buttons);
  countDown(request.timeout);
  dialog.showModal();
  (byId('dialog-body').querySelector('input, textarea, button') ?? byId('dialog-buttons').querySelector('.main'))?.focus();
}

const button = (text, value, kind) => el('button', { type: 'button', class: kind, onclick: () => settle(value) }, text);
const dismiss = () => button('Dismiss', null);

function parts(request) {
  if (request.method === 'confirm') return { body: [], buttons: [button('No', false), button('Yes', true, 'main')] };
  if (request.method === 'select') return { body: request.options.map((option) => button(option, option)), buttons: [dismiss()] };
  const isEditor = request.method === 'editor';
  const field = isEditor
    ? el('textarea', { 'aria-labelledby': 'dialog-title' }, request.prefill ?? '')
    : el('input', { 'aria-labelledby': 'dialog-title', placeholder: request.placeholder, autocomplete: 'off' });
  field.addEventListener('keydown', (event) => {
    const sends = event.key === 'Enter' && (isEditor ? event.ctrlKey || event.metaKey : !event.isComposing);
    if (!sends) return;
    event.preventDefault();
    settle(field.value);
  });
  const ok = el('button', { type: 'button', class: 'main', onclick: () => settle(field.value) }, 'OK');
  return { body: [field], buttons: [dismiss(), ok] };
}

function countDown(timeout) {
  if (!timeout) return;
  const end = Date.now() + timeout;
  const from = byId('dialog-from');
  const words = from.textContent;
  const tick = () => {
    from.textContent = `${words} · ${Math.max(0, Math.ceil((end - Date.now()) / 1000))} s left`;
  };
  tick();
  timer = setInterval(tick, 1_000);
}

// Escape.
dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  if (shown) settle(null);
});
dialog.querySelector('form').addEventListener('submit', (event) => event.preventDefault());
