import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { XSS } from '../integration/export/xss-corpus.js';
import { CHROMIUM, CHROMIUM_ARGS } from '../support/browser.js';
import { type FakeLlm, startFakeLlm } from '../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Sandbox } from '../support/pi-process.js';

const SERVER = fileURLToPath(new URL('../../examples/hosts/web/server.mjs', import.meta.url));
const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = process.env.PI_TEST_SCREENSHOTS;

const EXTENSION = `export default (pi: any) => {
  const show = (ui: any, answer: unknown) => ui.notify('answer ' + JSON.stringify(answer ?? null));
  pi.registerCommand('select', { description: 'Asks for a choice', handler: async (_: string, { ui }: any) => show(ui, await ui.select('Which one?', ['red', 'green'])) });
  pi.registerCommand('confirm', { handler: async (_: string, { ui }: any) => show(ui, await ui.confirm('Delete it?', 'It can not come back.')) });
  pi.registerCommand('input', { handler: async (_: string, { ui }: any) => show(ui, await ui.input('Your name?', 'Ada')) });
  pi.registerCommand('editor', { handler: async (_: string, { ui }: any) => show(ui, await ui.editor('The text?', 'begin')) });
  pi.registerCommand('brief', { handler: async (_: string, { ui }: any) => show(ui, await ui.input('Quick?', '', { timeout: 1500 })) });
  pi.registerCommand('both', { handler: async (_: string, { ui }: any) => show(ui, await Promise.all([ui.input('First?'), ui.input('Second?')])) });
  pi.registerCommand('show', { handler: async (_: string, { ui }: any) => {
    ui.setStatus('s', 'all is well'); ui.setWidget('w', ['line one', 'line two']); ui.setTitle('My work'); ui.setEditorText('to be sent');
  } });
};`;

let browser: Browser;
let llm: FakeLlm;
let sandbox: Sandbox;
let server: ChildProcess;
let address: string;
let page: Page;
const problems: string[] = [];

describe.skipIf(!CHROMIUM)('the host in the browser', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_ARGS });
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    llm = await startFakeLlm();
    sandbox = createSandbox({ providers: fakeProviders(llm.url), files: { 'asks.ts': EXTENSION, 'notes.txt': 'alpha\nbeta\n' } });
    const args = [SERVER, '--', '--provider', 'fake', '--model', 'plain', '-e', 'asks.ts'];
    server = spawn(process.execPath, args, { cwd: sandbox.cwd, env: sandbox.env, stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer];
    address = line.toString().trim();
    page = await open();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    sandbox.remove();
    await llm[Symbol.asyncDispose]();
    expect(problems.splice(0)).toEqual([]);
  });

  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const tab = await (await browser.newContext(options)).newPage();
    tab.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    tab.on('pageerror', (error) => problems.push(error.message));
    await tab.goto(address);
    await tab.getByText('connected', { exact: true }).waitFor();
    return tab;
  }
  const log = (tab = page) => tab.getByRole('log');
  const say = async (text: string, tab = page): Promise<void> => {
    const box = tab.getByLabel('Message', { exact: true });
    await box.fill(text);
    await box.press('Enter');
  };
  /** A command of the extension: the first Enter may complete its name. */
  const run = async (name: string, tab = page): Promise<void> => {
    const box = tab.getByLabel('Message', { exact: true });
    await box.fill(`/${name} `);
    await box.press('Enter');
  };
  const notice = (text: string, tab = page) => tab.getByRole('status', { name: 'Notices' }).getByText(text).waitFor();
  const shot = async (name: string, tab = page): Promise<void> => {
    if (SHOTS) await tab.screenshot({ path: `${SHOTS}/${name}.png` });
  };
  async function axe(tab = page): Promise<string[]> {
    // The page lets no code in but its own: this comes in past it, as the browser's owner may.
    const session = await tab.context().newCDPSession(tab);
    await session.send('Page.setBypassCSP', { enabled: true });
    await tab.evaluate(AXE);
    const { violations } = (await tab.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }

  it('streams an answer with Markdown, and folds the tool call with its result', async () => {
    llm.push(
      { toolCalls: [{ id: 'a', name: 'read', args: { path: 'notes.txt' } }] },
      {
        thinking: 'Let me think.',
        text: '# It says\n\n- **alpha**\n- `beta`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[link](https://example.com)',
        chunks: 20,
      },
    );
    await say('What do the notes say?');
    await log().getByRole('heading', { name: 'It says' }).waitFor();
    expect(await log().locator('article.user').textContent()).toBe('What do the notes say?');
    expect(await log().locator('strong').textContent()).toBe('alpha');
    expect(await log().getByRole('link', { name: 'link' }).getAttribute('rel')).toContain('noopener');
    const tool = log().locator('details').filter({ hasText: 'read' });
    expect(await tool.locator('.result').isVisible()).toBe(false);
    await tool.locator('summary').click();
    expect(await tool.locator('.result').textContent()).toContain('alpha\nbeta');
    await page.getByText(/tokens · \$0\.\d+ · context/).waitFor();
    await shot('conversation');
    expect(await axe()).toEqual([]);
  });

  it('answers each dialog by keyboard and by mouse, and gives the focus back', async () => {
    const dialog = page.getByRole('dialog');
    await run('select');
    await dialog.getByRole('heading', { name: 'Which one?' }).waitFor();
    await shot('dialog');
    expect(await axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'green' }).click();
    await notice('answer "green"');
    await run('select');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await run('confirm');
    await dialog.getByText('It can not come back.').waitFor();
    await page.keyboard.press('Enter');
    await notice('answer true');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('text');
    await run('input');
    await dialog.getByPlaceholder('Ada').fill('Grace');
    await page.keyboard.press('Enter');
    await notice('answer "Grace"');
    await run('editor');
    await dialog.getByRole('textbox').fill('two\nlines');
    await page.keyboard.press('Control+Enter');
    await notice('answer "two\\nlines"');
    await run('input');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await notice('answer null');
  });

  it('shows one dialog after the other, and takes away what nobody waits for', async () => {
    const dialog = page.getByRole('dialog');
    await run('both');
    await dialog.getByRole('heading', { name: 'First?' }).waitFor();
    await dialog.getByRole('textbox').fill('1');
    await page.keyboard.press('Enter');
    await dialog.getByRole('heading', { name: 'Second?' }).waitFor();
    await dialog.getByRole('textbox').fill('2');
    await page.keyboard.press('Enter');
    await notice('answer ["1","2"]');
    await run('brief');
    await dialog.getByText(/s left/).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await notice('answer null');
  });

  it('shows status, widget, title and text, and completes commands', async () => {
    await run('show');
    await page.getByText('all is well').waitFor();
    await page.getByText('line one').waitFor();
    await page.getByRole('heading', { name: 'My work' }).waitFor();
    const box = page.getByLabel('Message', { exact: true });
    await expect.poll(() => box.inputValue()).toBe('to be sent');
    await box.fill('/sel');
    await page.getByRole('option', { name: '/select Asks for a choice' }).waitFor();
    await box.press('Enter');
    expect(await box.inputValue()).toBe('/select ');
  });

  it('steers and queues while the agent works, and stops it', async () => {
    llm.push(
      { toolCalls: [{ id: 'a', name: 'bash', args: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
      { text: 'Steered.' },
      { text: 'Then that.' },
      { text: 'x', hang: true },
    );
    await say('Begin');
    await page.getByRole('button', { name: 'Steer' }).waitFor();
    await say('Turn left');
    const box = page.getByLabel('Message', { exact: true });
    await box.fill('And then this');
    await page.getByRole('button', { name: 'Send when done' }).click();
    await page.getByText('next: Turn left').waitFor();
    await page.getByText('when done: And then this').waitFor();
    fs.writeFileSync(`${sandbox.cwd}/go`, '');
    await log().getByText('Then that.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await say('Never end');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  });

  it('shows the same in every tab; the first answer to a dialog closes it in the others', async () => {
    const other = await open();
    llm.push({ text: 'Hello both.' });
    await say('Hello');
    await Promise.all([log().getByText('Hello both.').waitFor(), log(other).getByText('Hello both.').waitFor()]);
    await run('confirm');
    await Promise.all([page.getByRole('dialog').waitFor(), other.getByRole('dialog').waitFor()]);
    await other.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await notice('answer true');
    await other.reload();
    await log(other).getByText('Hello both.').waitFor();
  });

  it('goes on with the same conversation after pi was killed, and shows nothing twice', async () => {
    llm.push({ text: 'Before.' }, { text: 'After.' });
    await say('One');
    await log().getByText('Before.').waitFor();
    const children = fs.readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ').map(Number);
    for (const pid of children) process.kill(pid, 'SIGKILL');
    await page.getByText(/pi ended/).waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    await say('Two');
    await log().getByText('After.').waitFor();
    expect(await log().locator('article').allTextContents()).toEqual(['One', 'Before.', 'Two', 'After.']);
  });

  it('goes back and elsewhere in the tree, and begins anew', async () => {
    llm.push({ text: 'First answer.' }, { text: 'Second answer.' });
    await say('First question');
    await log().getByText('First answer.').waitFor();
    await say('Second question');
    await log().getByText('Second answer.').waitFor();
    await page.getByRole('button', { name: 'Tree' }).click();
    await page.getByRole('dialog').getByText('You: Second question').waitFor();
    await shot('tree');
    expect(await axe()).toEqual([]);
    await page.getByRole('listitem').filter({ hasText: 'You: Second question' }).getByRole('button', { name: 'Go here' }).click();
    await log().getByText('Second answer.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Second question');
    await page.getByRole('button', { name: 'New' }).click();
    await log().getByText('First answer.').waitFor({ state: 'detached' });
  });

  it('fits a phone, light and dark, without anything to scroll sideways', async () => {
    const phone = await open({ viewport: { width: 360, height: 700 }, colorScheme: 'dark' });
    llm.push({
      text: `A long word: ${'x'.repeat(300)}\n\n\`\`\`\n${'code '.repeat(60)}\n\`\`\`\n\n| ${'a | '.repeat(20)}\n|${'---|'.repeat(20)}\n| ${'b | '.repeat(20)}`,
    });
    await say('Something wide', phone);
    await log(phone).getByText('A long word').waitFor();
    expect(await phone.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    const overflow = () => phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow()).toBe(0);
    await run('editor', phone);
    await phone.getByRole('dialog').waitFor();
    expect(await overflow()).toBe(0);
    await shot('phone', phone);
    expect(await axe(phone)).toEqual([]);
    await phone.keyboard.press('Escape');
    await phone.getByRole('button', { name: 'Change between light and dark' }).click();
    expect(await axe(phone)).toEqual([]);
  });

  it('shows what looks like code in an answer as text', async () => {
    llm.push({ text: XSS.join('\n\n') });
    await page.evaluate(() => Reflect.set(window, '__ran', false));
    await say('Attack');
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await log().locator('article').nth(1).waitFor();
    expect(
      await log()
        .locator('script, iframe, object, embed, form, [onerror], [onclick], [src^="http"], a[href^="javascript"]')
        .count(),
    ).toBe(0);
  });

  it.each<[string, { path?: string; headers?: Record<string, string>; method?: string }, number]>([
    ['without the word', { headers: {} }, 401],
    ['with another word', { headers: { authorization: `Bearer ${'x'.repeat(32)}` } }, 401],
    ['from another page', { headers: { origin: 'http://evil.example' } }, 403],
    ['by another name', { headers: { host: 'evil.example' } }, 403],
    ['a file beside the page', { path: '/../server.mjs' }, 404],
    ['a file by a trick', { path: '/%2e%2e/server.mjs' }, 404],
  ])('refuses to be asked %s', async (_how, { path = '/api/stream', headers = {} }, status) => {
    const { port, hash } = new URL(address);
    const word =
      'authorization' in headers || path !== '/api/stream' || Object.keys(headers).length === 0
        ? {}
        : { authorization: `Bearer ${hash.slice(1)}` };
    const got = await new Promise<number | undefined>((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, path, headers: { ...word, ...headers } }, (response) => {
        response.destroy();
        resolve(response.statusCode);
      });
      request.once('error', reject).end();
    });
    expect(got).toBe(status);
  });

  it('ends pi when it ends', async () => {
    const [pid = ''] = fs.readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ');
    await page.context().close();
    server.kill('SIGTERM');
    await once(server, 'exit');
    expect(fs.existsSync(`/proc/${pid}`)).toBe(false);
  });
});

it.runIf(!CHROMIUM)('skipped: no Chromium is installed (Debian package chromium)', () => {
  console.log('the host in the browser was not tried: there is no Chromium');
});
