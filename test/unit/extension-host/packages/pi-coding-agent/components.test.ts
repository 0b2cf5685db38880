import { describe, expect, it, vi } from 'vitest';
import { editorTheme } from '../../../../../core/extension-host/packages/pi-coding-agent/component-themes.js';
import * as pi from '../../../../../core/extension-host/packages/pi-coding-agent.js';
import { Container, Editor, Text, visibleWidth } from '../../../../../core/extension-host/packages/pi-tui.js';
import { answer, chain } from '../../../session/builders.js';

/** The part of a terminal that components ask to draw again. */
const tui = { requestRender: vi.fn(), terminal: { rows: 40, columns: 80 } } as never;
const plain = (lines: readonly string[]): string => lines.join('\n').replace(/\u001b\[[0-9;]*m/g, '');

const model = { id: 'm', name: 'M', provider: 'p' } as never;
const noop = (): void => undefined;

const COMPONENTS: Record<string, () => { render(width: number): string[]; invalidate(): void }> = {
  DynamicBorder: () => new pi.DynamicBorder((text) => text),
  BorderedLoader: () => new pi.BorderedLoader(tui, { fg: (_, text) => text }, 'Fetching'),
  AssistantMessageComponent: () => new pi.AssistantMessageComponent(answer('said')),
  UserMessageComponent: () => new pi.UserMessageComponent('asked'),
  SkillInvocationMessageComponent: () =>
    new pi.SkillInvocationMessageComponent({ name: 'skill', location: '/x', content: 'text', userMessage: undefined }),
  CustomMessageComponent: () =>
    new pi.CustomMessageComponent({ role: 'custom', customType: 'note', content: 'text', display: true, timestamp: 1 }),
  BranchSummaryMessageComponent: () =>
    new pi.BranchSummaryMessageComponent({ role: 'branchSummary', summary: 's', fromId: 'x', timestamp: 1 }),
  CompactionSummaryMessageComponent: () =>
    new pi.CompactionSummaryMessageComponent({ role: 'compactionSummary', summary: 's', tokensBefore: 1, timestamp: 1 }),
  ToolExecutionComponent: () => new pi.ToolExecutionComponent('read', '1', { path: 'a.txt' }),
  ExtensionSelectorComponent: () => new pi.ExtensionSelectorComponent('Pick', ['one', 'two'], noop, noop),
  SessionSelectorComponent: () =>
    new pi.SessionSelectorComponent(
      async () => [],
      async () => [],
      noop,
      noop,
    ),
  ModelSelectorComponent: () => new pi.ModelSelectorComponent(tui, undefined, undefined, {}, [{ model }], noop, noop),
  TreeSelectorComponent: () => new pi.TreeSelectorComponent([], null, 40, noop, noop),
  LoginDialogComponent: () => new pi.LoginDialogComponent(tui, 'anthropic', noop),
  CustomEditor: () => new pi.CustomEditor(tui, editorTheme()),
};

describe.each(Object.entries(COMPONENTS))('%s', (_name, make) => {
  it.each([20, 80])('draws itself in %d columns, no line wider', (width) => {
    const component = make();
    const lines = component.render(width);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    component.invalidate();
    expect(component.render(width)).toEqual(lines);
    if (component instanceof pi.BorderedLoader) component.dispose();
  });
});

describe('components', () => {
  it('are those of the terminal library, so that extensions can mix them', () => {
    expect(COMPONENTS.UserMessageComponent?.()).toBeInstanceOf(Container);
    class Vim extends pi.CustomEditor {}
    expect(new Vim(tui, editorTheme())).toBeInstanceOf(Editor);
  });

  it('show what they are about', () => {
    expect(plain(new pi.AssistantMessageComponent(answer('said **so**')).render(60))).toContain('said so');
    expect(
      plain(new pi.AssistantMessageComponent(answer('', { stopReason: 'error', errorMessage: 'no key' })).render(60)),
    ).toContain('no key');
    expect(plain(new pi.UserMessageComponent('asked').render(60))).toContain('asked');
    const [first, second] = chain();
    if (!first || !second) throw new Error('a chain has entries');
    const tree = [{ entry: first, children: [{ entry: second, children: [] }], label: 'start' }];
    expect(plain(new pi.TreeSelectorComponent(tree, null, 40, noop, noop).render(80))).toMatch(/first question.*start/);
  });

  it('use the renderers of a tool, and do without one that fails', () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(noop);
    const shown = new pi.ToolExecutionComponent(
      'own',
      '1',
      {},
      {},
      {
        renderCall: () => new Text('my call', 0, 0),
        renderResult: () => {
          throw new Error('mine');
        },
      },
    );
    shown.updateResult({ content: [{ type: 'text', text: 'the result' }] });
    expect(plain(shown.render(60))).toContain('my call');
    expect(errors).toHaveBeenCalled();
    errors.mockRestore();
  });

  it('choose by keys', async () => {
    const chosen: string[] = [];
    const selector = new pi.ExtensionSelectorComponent('Pick', ['one', 'two'], (option) => chosen.push(option), noop);
    selector.handleInput('\u001b[B');
    selector.handleInput('\r');
    expect(chosen).toEqual(['two']);
    const cancelled = vi.fn();
    new pi.ExtensionSelectorComponent('Pick', ['one'], noop, cancelled).handleInput('\u001b');
    expect(cancelled).toHaveBeenCalledOnce();
    const info = {
      path: '/s.jsonl',
      id: 'x',
      cwd: '/',
      created: new Date(0),
      modified: new Date(0),
      messageCount: 2,
      firstMessage: 'hello',
      allMessagesText: '',
    };
    const rendered = await new Promise<string>((resolve) => {
      const sessions: pi.SessionSelectorComponent = new pi.SessionSelectorComponent(
        async () => [info],
        async () => [],
        noop,
        noop,
        noop,
        () => resolve(plain(sessions.render(80))),
      );
    });
    expect(rendered).toContain('hello');
  });

  it('end what they show when escape is pressed', () => {
    const loader = new pi.BorderedLoader(tui, { fg: (_, text) => text }, 'Fetching');
    const aborted = vi.fn();
    loader.onAbort = aborted;
    loader.handleInput('\u001b');
    expect(aborted).toHaveBeenCalledOnce();
    expect(loader.signal.aborted).toBe(true);
    loader.dispose();
    const ended = vi.fn();
    const login = new pi.LoginDialogComponent(tui, 'anthropic', ended);
    const asked = login.showPrompt('Key').catch((error: unknown) => String(error));
    login.handleInput('\u001b');
    expect(ended).toHaveBeenCalledWith(false, 'Login cancelled');
    return expect(asked).resolves.toContain('Login cancelled');
  });

  it('leave keys to the actions of an editor, and text to it', () => {
    const editor = new pi.CustomEditor(tui, editorTheme(), {
      matches: (data, action) => data === '\u0007' && action === 'app.editor.external',
    });
    const external = vi.fn();
    const escaped = vi.fn();
    editor.onAction('app.editor.external', external);
    editor.onEscape = escaped;
    editor.handleInput('\u0007');
    editor.handleInput('\u001b');
    editor.handleInput('x');
    expect(external).toHaveBeenCalledOnce();
    expect(escaped).toHaveBeenCalledOnce();
    expect(editor.getText()).toBe('x');
  });

  it('cut texts to the last lines that fit', () => {
    const { visualLines, skippedCount } = pi.truncateToVisualLines('a\nb\nc\nd', 2, 20);
    expect(visualLines.map((line) => line.trim())).toEqual(['c', 'd']);
    expect(skippedCount).toBe(2);
  });
});
