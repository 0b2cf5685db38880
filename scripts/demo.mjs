// What `npm start` shows: pi's JSON events of one prompt, as text that is read while it arrives.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from './lib/set-up.mjs';

const PROMPT = 'List the files in src, then search for TODO, then run "node src/report.js"';
/** With the tools that are off by default too: their output is the same everywhere. */
const TOOLS = 'read,bash,edit,write,grep,find,ls';
const MAX_LINES = 8;

const colours = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
const dim = (text) => paint(2, text);
const bold = (text) => paint(1, text);

/** Turns events into text; `write` gets pieces as they come. */
export function createRenderer(write) {
  let column = 0;
  const print = (text) => {
    if (text === '') return;
    write(text);
    column = text.endsWith('\n') ? 0 : 1;
  };
  const line = (text) => print(`${column === 0 ? '' : '\n'}${text}\n`);
  return (event) => {
    if (event.type === 'message_update') {
      const step = event.assistantMessageEvent;
      if (step.type === 'text_delta') print(step.delta);
      else if (step.type === 'text_end') line('');
    } else if (event.type === 'tool_execution_start') {
      line(`${bold(`● ${event.toolName}`)} ${summarise(event.args)}`);
    } else if (event.type === 'tool_execution_end') {
      for (const text of firstLines(event.result, event.isError)) line(dim(`  │ ${text}`));
      line('');
    } else if (event.type === 'message_end' && event.message.stopReason === 'error') {
      line(`Error: ${event.message.errorMessage}`);
    }
  };
}

function summarise(args) {
  const text = Object.values(args ?? {})
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('  ');
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

function firstLines(result, isError) {
  const text = result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > MAX_LINES) shown.push(`… ${lines.length - MAX_LINES} more lines`);
  return isError ? [`failed: ${shown[0]}`, ...shown.slice(1)] : shown;
}

/** Resolves to pi's exit code. */
export function demonstrate() {
  const cwd = path.join(ROOT, 'examples/sample-project');
  const out = process.stdout;
  out.write(`${dim(`The offline model at work in ${path.relative(ROOT, cwd)}; no network, no key. The prompt:`)}\n`);
  out.write(`${bold(`> ${PROMPT}`)}\n\n`);
  const args = [
    path.join(ROOT, 'dist/cli.js'),
    '--mode',
    'json',
    '--provider',
    'offline',
    '--no-session',
    '--tools',
    TOOLS,
    PROMPT,
  ];
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const render = createRenderer((text) => out.write(text));
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const record of lines) render(JSON.parse(record));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) out.write(dim('Try your own: npm start -- --provider offline -p "list the files in core"\n'));
      resolve(code ?? 1);
    });
  });
}
