import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportHtml } from '../../../core/export/export-html.js';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { CHROMIUM, CHROMIUM_ARGS } from '../../support/browser.js';
import { XSS } from './xss-corpus.js';

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.01 },
};
let serial = 0;
let folder: string;

/** A chain of entries, each below the last. */
function chain(...made: object[]): StoredEntry[] {
  let parentId: string | null = null;
  return made.map((entry) => {
    serial += 1;
    const id = `e${serial}`;
    const stored = { type: 'message', id, parentId, timestamp: '2026-01-02T03:04:05.000Z', ...entry } as StoredEntry;
    parentId = id;
    return stored;
  });
}
const user = (text: string): object => ({ message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 } });
const assistant = (content: object[]): object => ({
  message: { role: 'assistant', content, api: 'a', provider: 'p', model: 'm', usage, stopReason: 'stop', timestamp: 1 },
});
const result = (toolCallId: string, text: string, more: object = {}): object => ({
  message: {
    role: 'toolResult',
    toolCallId,
    toolName: 't',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 1,
    ...more,
  },
});

async function exported(
  entries: StoredEntry[],
  more: { name?: string; labels?: Map<string, { label: string }>; leafId?: string } = {},
): Promise<string> {
  serial += 1;
  const file = path.join(folder, `page-${serial}.html`);
  await exportHtml(
    {
      header: { type: 'session', version: 3, id: 'id', timestamp: '', cwd: '/w' },
      name: more.name,
      entries,
      leafId: more.leafId ?? entries.at(-1)?.id ?? null,
      labels: more.labels ?? new Map(),
      summary: 'a session',
    },
    file,
  );
  return file;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pi-export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the exported page', () => {
  it('is one file for its owner, with a policy that allows nothing but what is in it', async () => {
    const file = await exported(chain(user('hello')));
    const html = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(html).toMatch(
      /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'"/,
    );
  });

  it('says where it could not be written, and leaves nothing behind', async () => {
    const { exportHtml: write } = await import('../../../core/export/export-html.js');
    const input = {
      header: { type: 'session' as const, version: 3, id: 'id', timestamp: '', cwd: '/w' },
      name: undefined,
      entries: [],
      leafId: null,
      labels: new Map(),
      summary: '',
    };
    await expect(write(input, path.join(folder, 'no', 'such.html'))).rejects.toMatchObject({ code: 'EXPORT_WRITE_FAILED' });
  });

  it('keeps every entry, also of unknown and odd shapes', async () => {
    const entries = chain(
      { type: 'from_the_future', secret: 'FUTURE' },
      { message: { role: 'alien', content: 'ALIEN' } },
      { message: 42 },
      { message: { role: 'assistant', content: 'ODD' } },
      user('end'),
    );
    const html = readFileSync(await exported(entries), 'utf8');
    for (const word of ['from_the_future', 'FUTURE', 'ALIEN', 'ODD', 'end']) expect(html).toContain(word);
  });
});

describe.skipIf(CHROMIUM === undefined)('the exported page in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_ARGS });
  }, 60_000);
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    problems = [];
    page.on('console', (message) => problems.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:') && !request.url().startsWith('data:image/'))
        problems.push(`request: ${request.url()}`);
    });
  });
  afterEach(() => page.close());
  const open = (file: string): Promise<unknown> => page.goto(pathToFileURL(file).href);

  it('runs and loads nothing of what is in messages, whatever place it stands in', async () => {
    expect(XSS.length).toBeGreaterThanOrEqual(60);
    const everywhere = XSS.flatMap((text, at) => {
      const call = {
        type: 'toolCall',
        id: `c${at}`,
        name: text.slice(0, 60),
        arguments: { path: text, command: text, [text.slice(0, 20)]: text },
      };
      return chain(
        user(text),
        assistant([
          { type: 'text', text },
          { type: 'thinking', thinking: text },
          call,
          { ...call, id: `d${at}`, name: 'bash' },
          { ...call, id: `f${at}`, name: 'edit' },
        ]),
        result(`c${at}`, text, { details: { patch: `@@\n+${text}\n-${text}` } }),
        result(`f${at}`, text, { details: { diff: text } }),
        { message: { role: 'user', content: [{ type: 'image', data: text, mimeType: text }], timestamp: 1 } },
        { message: { role: 'user', content: [{ type: 'image', data: text, mimeType: 'image/png' }], timestamp: 1 } },
        {
          message: {
            role: 'bashExecution',
            command: text,
            output: text,
            exitCode: 0,
            cancelled: false,
            truncated: false,
            timestamp: 1,
          },
        },
        { type: 'custom', customType: text, data: { text } },
        { type: 'custom_message', customType: text, content: text, display: true },
        { type: 'session_info', name: text },
        { type: 'model_change', provider: text, modelId: text },
        { type: 'branch_summary', summary: text, fromId: 'x' },
        { type: 'compaction', summary: text, firstKeptEntryId: 'x', tokensBefore: 1 },
        { type: text, id: `id-${at}${text}`, timestamp: text },
      );
    });
    const labels = new Map(everywhere.slice(0, 200).map((entry, at) => [entry.id, { label: XSS[at % XSS.length] ?? '' }]));
    await open(await exported(everywhere, { name: XSS[1] ?? '', labels }));
    await page.evaluate(() => {
      document.querySelectorAll('details').forEach((details) => {
        details.open = true;
      });
    });
    expect(await page.evaluate(() => Reflect.get(window, '__pwned'))).toBeUndefined();
    const found = await page.evaluate(() => ({
      scripts: Array.from(document.scripts).map((script) => script.id || (script.src ? 'src' : 'own')),
      handlers: Array.from(document.querySelectorAll('*')).flatMap((element) =>
        element.getAttributeNames().filter((name) => /^on|^style$|^srcdoc$/.test(name)),
      ),
      frames: document.querySelectorAll('iframe,object,embed,form,base,link,svg,math,video,audio,template').length,
      links: Array.from(document.querySelectorAll('a'))
        .map((link) => link.protocol)
        .filter((protocol) => !['file:', 'http:', 'https:', 'mailto:'].includes(protocol)),
    }));
    expect(found).toEqual({ scripts: ['session-data', 'own'], handlers: [], frames: 0, links: [] });
    expect(problems).toEqual([]);
  }, 60_000);

  it('shows what was said, with tool calls folded, failures open, and terminal colours', async () => {
    const call = (id: string): object => ({ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } });
    const entries = chain(
      user('**bold** question'),
      assistant([{ type: 'text', text: '```js\nconst a = 1;\n```' }, call('good'), call('bad')]),
      result('good', '\u001b[31mred\u001b[0m plain'),
      result('bad', 'broken', { isError: true }),
    );
    await open(await exported(entries));
    expect(await page.locator('article.user strong').textContent()).toBe('bold');
    expect(await page.locator('.hljs-keyword').first().textContent()).toBe('const');
    expect(await page.locator('details.tool').evaluateAll((all) => all.map((one) => (one as HTMLDetailsElement).open))).toEqual([
      false,
      true,
    ]);
    expect(await page.locator('.f1').textContent()).toBe('red');
    expect(await page.locator('article').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('finds entries by their words, follows deep links, and works by keyboard', async () => {
    const entries = chain(...Array.from({ length: 30 }, (_, at) => user(`question number ${at} ${at === 17 ? 'zebra' : ''}`)));
    const file = await exported(entries, { labels: new Map([[entries[3]?.id ?? '', { label: 'checkpoint' }]]) });
    await page.goto(`${pathToFileURL(file).href}#e-${entries[20]?.id}`);
    expect(await page.locator('nav a.here').textContent()).toContain('number 20');
    await page.keyboard.press('/');
    await page.keyboard.type('zebra');
    expect(await page.locator('nav li:visible').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('nav li:visible').count()).toBe(30);
    expect(await page.locator('nav .label').textContent()).toBe('checkpoint');
    expect(problems).toEqual([]);
  });

  it('moves other branches in and marks them, the current one last', async () => {
    const [root, old] = chain(user('root'), user('old way'));
    const fork = { ...chain(user('new way'))[0], parentId: root?.id ?? null } as StoredEntry;
    if (!root || !old) throw new Error('no entries');
    await open(await exported([root, old, fork], { leafId: fork.id }));
    expect(await page.locator('nav a').allTextContents()).toEqual(['root', 'old way', 'new way']);
    expect(await page.locator('nav a.off').allTextContents()).toEqual(['old way']);
    expect(await page.locator('nav li.i1').count()).toBe(1);
  });

  it('fits a phone, and paper', async () => {
    const file = await exported(
      chain(
        user('x '.repeat(200)),
        assistant([
          { type: 'text', text: `| a | b |\n|---|---|\n| ${'long'.repeat(60)} | 2 |\n\n\`\`\`\n${'wide '.repeat(100)}\n\`\`\`` },
        ]),
      ),
    );
    await page.setViewportSize({ width: 375, height: 700 });
    await open(file);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav').isVisible()).toBe(false);
  });

  it('10 000 entries: every one is there, and scrolling never blocks the page for long', async () => {
    const entries = chain(
      ...Array.from({ length: 2500 }, (_, at) => [
        user(`question ${at}`),
        assistant([
          { type: 'text', text: `Answer **${at}** with \`code\`.\n\n- one\n- two` },
          { type: 'toolCall', id: `k${at}`, name: 'read', arguments: { path: `f${at}.txt` } },
        ]),
        result(`k${at}`, 'line\n'.repeat(20)),
        assistant([{ type: 'text', text: 'Done.' }]),
      ]).flat(),
    );
    await page.addInitScript(() => {
      const slow: number[] = [];
      Reflect.set(window, '__slow', slow);
      new PerformanceObserver((list) => {
        for (const task of list.getEntries()) slow.push(task.duration);
      }).observe({ type: 'longtask' });
    });
    await open(await exported(entries));
    expect(await page.locator('article').count()).toBe(7500);
    const paint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.POSITIVE_INFINITY,
    );
    const complete = await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart);
    console.log(`10 000 entries: first paint after ${Math.round(paint)} ms, page complete after ${Math.round(complete)} ms`);
    // The page shows itself while it is still being read.
    expect(paint).toBeLessThan(Math.max(1000, complete / 2));
    await page.evaluate(() => (Reflect.get(window, '__slow') as number[]).splice(0));
    for (let i = 0; i < 40; i += 1) {
      await page.mouse.wheel(0, 4000);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    }
    const slow = await page.evaluate(() => (Reflect.get(window, '__slow') as number[]).filter((ms) => ms > 200));
    // A page that blocks does so at every step; a busy machine at some.
    expect(slow.length).toBeLessThan(20);
  }, 90_000);
});

it.runIf(CHROMIUM === undefined)(
  'the browser tests of the export are skipped: no Chromium is installed (Debian package chromium)',
  () => {
    console.log('no Chromium: the exported page was not opened in a browser');
  },
);
