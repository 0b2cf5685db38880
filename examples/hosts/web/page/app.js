import { command, listen } from './api.js';
import { setRunning, setSlash, setText, showQueue } from './composer.js';
import { hear, showAll } from './conversation.js';
import { ask, close, closeAll } from './dialogs.js';
import { byId, el } from './dom.js';
import { clearAll, notify, setStatus, setTitle, setWidget } from './notices.js';
import { showTree } from './tree.js';

function showState({ state, stats }) {
  setRunning(state.isStreaming);
  if (state.model) byId('model').value = `${state.model.provider}/${state.model.id}`;
  byId('thinking').value = state.thinkingLevel;
  const { tokens, cost, contextUsage } = stats;
  const full =
    contextUsage?.percent === null || contextUsage === undefined ? '' : ` · context ${Math.round(contextUsage.percent)} %`;
  byId('meter').textContent = `${tokens.total.toLocaleString('en')} tokens · $${cost.toFixed(4)}${full}`;
}

function showSnapshot(snapshot) {
  connected('connected');
  byId('model').replaceChildren(
    ...snapshot.models.map(({ provider, id, name }) => el('option', { value: `${provider}/${id}` }, name ?? id)),
  );
  byId('thinking').replaceChildren(...snapshot.levels.map((level) => el('option', { value: level }, `thinking: ${level}`)));
  clearAll();
  setTitle(snapshot.title || snapshot.state.sessionName);
  for (const [key, text] of snapshot.statuses) setStatus(key, text);
  for (const widget of snapshot.widgets) setWidget(widget);
  setSlash(snapshot.slash);
  showAll(snapshot.messages, snapshot.live);
  showQueue(snapshot.queue);
  showState(snapshot);
  const open = new Set(snapshot.dialogs.map(({ id }) => id));
  if (open.size === 0) closeAll();
  for (const request of snapshot.dialogs) ask(request);
}

function showNotice(notice) {
  switch (notice.method) {
    case 'notify':
      return notify(notice.message, notice.notifyType);
    case 'setStatus':
      return setStatus(notice.statusKey, notice.statusText);
    case 'setWidget':
      return setWidget(notice);
    case 'setTitle':
      return setTitle(notice.title);
    case 'set_editor_text':
      return setText(notice.text);
  }
}

function showEvent(event) {
  hear(event);
  if (event.type === 'agent_start') setRunning(true);
  if (event.type === 'agent_settled') setRunning(false);
  if (event.type === 'queue_update') showQueue(event);
  if (event.type === 'extension_error') notify(`${event.extensionPath.split('/').at(-1)}: ${event.error}`, 'error');
}

const connected = (words) => {
  byId('connection').textContent = words;
};

const RECORDS = {
  snapshot: showSnapshot,
  state: showState,
  event: ({ event }) => showEvent(event),
  notice: ({ notice }) => showNotice(notice),
  dialog: ({ request }) => ask(request),
  dialog_closed: ({ id }) => close(id),
  offline: ({ error }) => {
    closeAll();
    setRunning(false);
    connected(`pi ended and is started again: ${error.split('\n')[0]}`);
  },
};

async function change(type, params) {
  const { success, error } = await command(type, params);
  if (!success) notify(error, 'error');
}

byId('model').addEventListener('change', ({ target }) => {
  const [provider, ...rest] = target.value.split('/');
  change('set_model', { provider, modelId: rest.join('/') });
});
byId('thinking').addEventListener('change', ({ target }) => change('set_thinking_level', { level: target.value }));
byId('new-button').addEventListener('click', () => change('new_session'));
byId('tree-button').addEventListener('click', showTree);

// Light or dark as the system has it, until somebody says otherwise.
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => {
  document.documentElement.dataset.theme = localStorage.getItem('theme') ?? (dark.matches ? 'dark' : 'light');
};
dark.addEventListener('change', applyTheme);
byId('theme-button').addEventListener('click', () => {
  localStorage.setItem('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  applyTheme();
});
applyTheme();

listen({ onRecord: (record) => RECORDS[record.kind]?.(record), onConnection: connected });
