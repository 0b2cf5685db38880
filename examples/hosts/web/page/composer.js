import { command } from './api.js';
import { byId, el } from './dom.js';
import { notify } from './notices.js';

const text = byId('text');
const list = byId('suggestions');
let slash = [];
let chosen = 0;
let running = false;

export function setSlash(commands) {
  slash = commands;
}

export function setRunning(is) {
  running = is;
  byId('stop').hidden = !is;
  byId('later').hidden = !is;
  byId('send').textContent = is ? 'Steer' : 'Send';
}

export function setText(value) {
  text.value = value;
  text.focus();
}

export function showQueue({ steering, followUp }) {
  const item = (words, kind) => el('li', {}, `${kind}: ${words}`);
  byId('queue').replaceChildren(
    ...steering.map((words) => item(words, 'next')),
    ...followUp.map((words) => item(words, 'when done')),
  );
}

async function send(type) {
  const message = text.value.trim();
  if (message === '') return;
  text.value = '';
  suggest();
  const { success, error } = await command(type, { message });
  if (success) return;
  notify(error, 'error');
  if (text.value === '') text.value = message;
}

const matches = () => {
  const word = /^\/(\S*)$/.exec(text.value)?.[1];
  return word === undefined ? [] : slash.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase())).slice(0, 12);
};

function suggest() {
  const found = matches();
  chosen = Math.min(chosen, Math.max(0, found.length - 1));
  list.hidden = found.length === 0;
  list.replaceChildren(
    ...found.map(({ name, description }, at) =>
      el(
        'div',
        { role: 'option', 'aria-selected': at === chosen ? 'true' : 'false', onmousedown: (event) => take(event, name) },
        el('strong', {}, `/${name}`),
        description ? ` ${description}` : '',
      ),
    ),
  );
}

function take(event, name) {
  event.preventDefault();
  text.value = `/${name} `;
  suggest();
}

text.addEventListener('input', () => {
  chosen = 0;
  suggest();
});
text.addEventListener('blur', () => {
  list.hidden = true;
});
text.addEventListener('keydown', (event) => {
  const found = matches();
  if (found.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    chosen = (chosen + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
    suggest();
  } else if (found.length > 0 && event.key === 'Tab') take(event, found[chosen].name);
  else if (event.key === 'Escape' && found.length > 0) list.hidden = true;
  else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (found.length > 0 && `/${found[chosen].name}` !== text.value) take(event, found[chosen].name);
    else send(running ? (event.altKey ? 'follow_up' : 'steer') : 'prompt');
  }
});
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  send(running ? 'steer' : 'prompt');
});
byId('later').addEventListener('click', () => send('follow_up'));
byId('stop').addEventListener('click', () => command('abort'));
