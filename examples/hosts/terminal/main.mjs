#!/usr/bin/env node
// A conversation with pi in the terminal:
//   node examples/hosts/terminal/main.mjs [-- <options of pi>]
// Enter sends, or steers what runs; Alt+Enter queues for afterwards; Ctrl+C stops a run, and twice when idle, or Ctrl+D, ends.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { CombinedAutocompleteProvider, Editor, matchesKey, ProcessTerminal, Text, TUI } from '@mariozechner/pi-tui';
import { RpcClient } from '../../../dist/client.js';
import { Conversation } from './conversation.mjs';
import { Dialogs } from './dialogs.mjs';
import { Notices } from './notices.mjs';
import { dim, editorTheme, red } from './theme.mjs';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const COMMAND = process.env.PI_COMMAND ? process.env.PI_COMMAND.split(' ') : [process.execPath, CLI];
const split = process.argv.indexOf('--', 2);
const piArgs = split < 0 ? [] : process.argv.slice(split + 1);
/** Two Ctrl+C within this time end an idle conversation. */
const TWICE_MS = 2_000;

const terminal = new ProcessTerminal();
const tui = new TUI(terminal);
const conversation = new Conversation();
const queue = new Text('', 0, 0);
const editor = new Editor(tui, editorTheme);
const footer = new Text('', 0, 0);
const dialogs = new Dialogs(tui);
const say = (text) => {
  conversation.say(text);
  tui.requestRender();
};
const notices = new Notices({ say, setText: (text) => editor.setText(text), setTitle: (title) => terminal.setTitle(title) });
let running = false;
let lastInterrupt = 0;
let client;

for (const part of [conversation, notices.above, queue, editor, notices.below, footer]) tui.addChild(part);
tui.setFocus(editor);

/** Tells of what failed instead of throwing it at nobody. */
const attempt = async (work) => {
  try {
    await work();
  } catch (error) {
    say(red(error.message));
  }
};

function hear(event) {
  conversation.hear(event);
  if (event.type === 'agent_start') running = true;
  if (event.type === 'agent_settled') {
    running = false;
    attempt(showFooter);
  }
  if (event.type === 'queue_update') {
    const lines = [...event.steering.map((text) => `next: ${text}`), ...event.followUp.map((text) => `when done: ${text}`)];
    queue.setText(dim(lines.join('\n')));
  }
  if (event.type === 'extension_error') say(red(`${event.extensionPath}: ${event.error}`));
  tui.requestRender();
}

async function showFooter() {
  const [{ model, thinkingLevel }, { tokens, cost, contextUsage }] = await Promise.all([
    client.commands.getState(),
    client.commands.getSessionStats(),
  ]);
  const full = typeof contextUsage?.percent === 'number' ? ` · context ${Math.round(contextUsage.percent)} %` : '';
  footer.setText(
    dim(`${model?.id ?? 'no model'} · thinking ${thinkingLevel} · ${tokens.total} tokens · $${cost.toFixed(4)}${full}`),
  );
  tui.requestRender();
}

/** Everything there is: at the start, and after pi was started again. */
async function showAll() {
  const [{ messages }, { commands }] = await Promise.all([client.commands.getMessages(), client.commands.getCommands()]);
  conversation.showAll(messages);
  editor.setAutocompleteProvider(new CombinedAutocompleteProvider(commands, process.cwd()));
  await showFooter();
}

function send(text, type) {
  if (text.trim() === '') return;
  editor.addToHistory(text);
  editor.setText('');
  attempt(() => client.commands[type]({ message: text }));
}
editor.onSubmit = (text) => send(text, running ? 'steer' : 'prompt');

tui.addInputListener((data) => {
  if (matchesKey(data, 'alt+enter') && running && !tui.hasOverlay()) {
    send(editor.getExpandedText(), 'followUp');
    return { consume: true };
  }
  if (matchesKey(data, 'ctrl+d') && editor.getText() === '') {
    end(0);
    return { consume: true };
  }
  if (!matchesKey(data, 'ctrl+c')) return undefined;
  if (running) attempt(() => client.commands.abort());
  else if (Date.now() - lastInterrupt < TWICE_MS) end(0);
  else {
    editor.setText('');
    lastInterrupt = Date.now();
    say(dim('Once more to end'));
  }
  return { consume: true };
});

/** pi is gone: what it said last, and the conversation goes on with what was stored. */
async function restart(error) {
  running = false;
  notices.clear();
  say(red(error.message));
  await attempt(async () => {
    const { entries } = await client.resume();
    await showAll();
    say(dim(`pi was started again; ${entries.length} entries of the conversation were stored meanwhile`));
  });
  if (!client.isRunning) end(1, 'pi could not be started again');
}

let ending = false;
async function end(code, words) {
  if (ending) return;
  ending = true;
  await terminal.drainInput(200);
  tui.stop();
  if (words) process.stderr.write(`${words}\n`);
  await client?.stop();
  process.exit(code);
}
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.once(signal, () => end(0));
process.once('uncaughtException', (error) => {
  tui.stop();
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});

try {
  client = await RpcClient.start({
    command: COMMAND,
    args: piArgs,
    dialogs: dialogs.handlers(),
    onEvent: hear,
    onNotice: (notice) => {
      notices.show(notice);
      tui.requestRender();
    },
    onExit: restart,
  });
  tui.start();
  await showAll();
} catch (error) {
  await end(1, error.message);
}
