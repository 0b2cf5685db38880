import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Sandbox } from '../../support/pi-process.js';

const MAIN = fileURLToPath(new URL('../../../examples/hosts/terminal/main.mjs', import.meta.url));
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

const EXTENSION = `export default (pi: any) => {
  const show = (ui: any, answer: unknown) => ui.notify('answer ' + JSON.stringify(answer ?? null));
  pi.registerCommand('select', { description: 'Asks for a choice', handler: async (_: string, { ui }: any) => show(ui, await ui.select('Which one?', ['red', 'green'])) });
  pi.registerCommand('confirm', { handler: async (_: string, { ui }: any) => show(ui, await ui.confirm('Delete it?', 'It can not come back.')) });
  pi.registerCommand('input', { handler: async (_: string, { ui }: any) => show(ui, await ui.input('Your name?', 'as in the passport')) });
  pi.registerCommand('editor', { handler: async (_: string, { ui }: any) => show(ui, await ui.editor('The text?', 'begin')) });
  pi.registerCommand('brief', { handler: async (_: string, { ui }: any) => show(ui, await ui.input('Quick?', '', { timeout: 1000 })) });
  pi.registerCommand('show', { handler: async (_: string, { ui }: any) => {
    ui.setStatus('s', 'all is well'); ui.setWidget('w', ['line one', 'line two']); ui.notify('careful', 'warning'); ui.setEditorText('to be sent');
  } });
};`;

let llm: FakeLlm;
let sandbox: Sandbox;
let socket: string;

describe.skipIf(!hasTmux)('the host in the terminal', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    llm = await startFakeLlm();
    sandbox = createSandbox({ providers: fakeProviders(llm.url), files: { 'asks.ts': EXTENSION, 'notes.txt': 'alpha\nbeta\n' } });
    socket = path.join(sandbox.root, 'tmux');
    const command = `${process.execPath} ${MAIN} -- --provider fake --model plain -e asks.ts; echo "ended with $?"; sleep 60`;
    execFileSync('tmux', ['-S', socket, 'new-session', '-d', '-x', '90', '-y', '40', command], {
      cwd: sandbox.cwd,
      env: { ...sandbox.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    });
    await shows('tokens · $');
  });
  afterEach(async () => {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
    sandbox.remove();
    await llm[Symbol.asyncDispose]();
  });

  const screen = (): string => execFileSync('tmux', ['-S', socket, 'capture-pane', '-p', '-S', '-200'], { encoding: 'utf8' });
  const shows = (text: string | RegExp): Promise<void> =>
    expect
      .poll(screen, { timeout: 20_000 })
      .toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text));
  const gone = (text: string): Promise<void> => expect.poll(screen, { timeout: 20_000 }).not.toContain(text);
  const keys = (...names: string[]): void => void execFileSync('tmux', ['-S', socket, 'send-keys', ...names]);
  const type = (text: string): void => void execFileSync('tmux', ['-S', socket, 'send-keys', '-l', text]);
  const run = async (name: string, title: string): Promise<void> => {
    type(`/${name} `);
    keys('Enter');
    await shows(title);
  };

  it('streams an answer, with the call of a tool and its result', async () => {
    llm.push(
      { toolCalls: [{ id: 'a', name: 'read', args: { path: 'notes.txt' } }] },
      { text: 'It says **alpha**.\n\n- one\n- two' },
    );
    type('What do the notes say?');
    keys('Enter');
    await shows('› What do the notes say?');
    await shows(/● read .*notes\.txt/);
    await shows(/ {2}alpha\n {2}beta/);
    await shows('It says alpha.');
    await shows('- one');
  });

  it('shows each dialog, and takes its answer', async () => {
    await run('select', 'Which one?');
    await shows('asked by asks');
    keys('Down', 'Enter');
    await shows('answer "green"');
    await run('confirm', 'It can not come back.');
    keys('Enter');
    await shows('answer true');
    await run('input', 'as in the passport');
    type('Grace');
    keys('Enter');
    await shows('answer "Grace"');
    await run('editor', 'The text?');
    type(' and end');
    keys('Enter');
    await shows('answer "begin and end"');
    await run('input', 'as in the passport');
    keys('Escape');
    await shows('answer null');
    await gone('as in the passport');
  });

  it('takes a dialog away that nobody waits for', async () => {
    await run('brief', 'Quick?');
    await gone('Quick?');
    await shows('answer null');
  });

  it('shows notices, status, widget and text, and completes commands', async () => {
    type('/show ');
    keys('Enter');
    await shows('all is well');
    await shows(/line one\s+line two/);
    await shows('! careful');
    await shows('to be sent');
    keys('C-u');
    type('/sel');
    await shows('Asks for a choice');
  });

  it('steers, queues and stops', async () => {
    llm.push(
      { toolCalls: [{ id: 'a', name: 'bash', args: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
      { text: 'Steered.' },
      { text: 'Then that.' },
      { text: 'On and on', hang: true },
    );
    type('Begin');
    keys('Enter');
    await shows('● bash');
    type('Turn left');
    keys('Enter');
    await shows('next: Turn left');
    type('And then this');
    keys('M-Enter');
    await shows('when done: And then this');
    fs.writeFileSync(path.join(sandbox.cwd, 'go'), '');
    await shows('Then that.');
    type('Never end');
    keys('Enter');
    await shows('On and on');
    keys('C-c');
    await shows(/abort/i);
    keys('C-c');
    await shows('Once more to end');
    keys('C-c');
    await shows('ended with 0');
  });

  it('goes on with the conversation after pi was killed', async () => {
    llm.push({ text: 'Before.' }, { text: 'After.' });
    type('One');
    keys('Enter');
    await shows('Before.');
    const pids = fs.readdirSync('/proc').filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) &&
          fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(sandbox.home) &&
          fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cli.js\0--mode')
        );
      } catch {
        return false;
      }
    });
    expect(pids).toHaveLength(1);
    process.kill(Number(pids[0]), 'SIGKILL');
    await shows('pi was started again');
    await shows('Before.');
    type('Two');
    keys('Enter');
    await shows('After.');
    keys('C-d');
    await shows('ended with 0');
  });

  it('survives a change of the size', async () => {
    llm.push({ text: `A long line: ${'word '.repeat(60)}end.` });
    type('Say much');
    keys('Enter');
    await shows('end.');
    execFileSync('tmux', ['-S', socket, 'resize-window', '-x', '50', '-y', '20']);
    await shows('tokens · $');
    keys('C-d');
    await shows('ended with 0');
  });
});

it.runIf(!hasTmux)('skipped: there is no tmux', () => {
  console.log('the host in the terminal was not tried: there is no tmux');
});
