import { describe, expect, test } from 'vitest';
import * as tui from '../../../../core/extension-host/packages/pi-tui.js';
import { defaultTheme } from '../../../../core/extension-host/packages/theme.js';

const { Container, Input, Key, ScrollView, SelectList, Spacer, Text, VStack } = tui;

describe('functions on text', () => {
  test('sliceByColumn takes columns, not characters, and keeps the colours that are on', () => {
    expect(tui.sliceByColumn('hello world', 2, 5)).toBe('llo w');
    expect(tui.sliceByColumn('\x1b[31mhello\x1b[0m world', 2, 5)).toBe('\x1b[31mllo\x1b[0m w');
    expect(tui.sliceByColumn('日本語abc', 1, 4)).toBe('本語');
    expect(tui.sliceByColumn('日本語abc', 1, 4, true)).toBe('本');
    expect(tui.sliceByColumn('ab', 5, 3)).toBe('');
  });

  test.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['links', '\x1b]8;;http://x\x07link\x1b]8;;\x1b\\', 'link'],
    ['program commands', '\x1b_G data\x1b\\x', 'x'],
    ['but not white space', 'a\tb\r\nc', 'a\tb\r\nc'],
    ['but not a sequence without an end', '\x1b]0;title', '\x1b]0;title'],
    ['several in a row', '\x1b[1m\x1b[2;3Hx\x1b[22my', 'xy'],
  ])('stripTerminalSequences takes out %s', (_, text, plain) => {
    expect(tui.stripTerminalSequences(text)).toBe(plain);
  });

  test('width, cutting and wrapping see past colours and wide characters', () => {
    expect(tui.visibleWidth('\x1b[31m日本\x1b[0m')).toBe(4);
    expect(tui.stripTerminalSequences(tui.truncateToWidth('Hello World', 8))).toBe('Hello...');
    expect(tui.wrapTextWithAnsi('one two three', 7)).toEqual(['one two', 'three']);
  });

  test('keys are named and recognised', () => {
    expect(tui.matchesKey('\x03', Key.ctrl('c'))).toBe(true);
    expect(tui.matchesKey('\x1b[A', 'up')).toBe(true);
    expect(tui.parseKey('\r')).toBe('enter');
    expect(tui.fuzzyFilter(['apple', 'banana'], 'bna', (name) => name)).toEqual(['banana']);
    expect(tui.getEditorKeybindings()).toBe(tui.getKeybindings());
  });
});

describe('components', () => {
  test('a container can be extended, and renders what it holds', () => {
    class Panel extends Container {
      constructor() {
        super();
        this.addChild(new Text('first', 0, 0));
        this.addChild(new Spacer(1));
        this.addChild(new Text('second', 0, 0));
      }
    }
    expect(new Panel().render(10).map((line) => line.trim())).toEqual(['first', '', 'second']);
  });

  test('an input can be extended and takes keys', () => {
    class Search extends Input {
      override handleInput(data: string): void {
        super.handleInput(data.toUpperCase());
      }
    }
    const input = new Search();
    for (const key of 'abc') input.handleInput(key);
    expect(input.getValue()).toBe('ABC');
  });

  test('a list, Markdown, a box and a loader work with the theme of extensions', () => {
    const theme = defaultTheme();
    const style = (text: string): string => theme.fg('accent', text);
    const list = new SelectList([{ value: 'a', label: 'Alpha' }], 5, {
      selectedPrefix: style,
      selectedText: style,
      description: style,
      scrollInfo: style,
      noMatch: style,
    });
    expect(tui.stripTerminalSequences(list.render(20).join('\n'))).toContain('Alpha');
    const box = new tui.Box(1, 0, (text) => theme.bg('toolPendingBg', text));
    box.addChild(new Text('in a box', 0, 0));
    expect(box.render(12).join('')).toContain(theme.getBgAnsi('toolPendingBg'));
  });

  test('a scroll view can be extended, keeps its position, and renders all it holds', () => {
    class Log extends ScrollView {}
    const log = new Log(new Text('a\nb', 0, 0), { follow: 'end' });
    log.scrollBy(5);
    log.scrollBy(-9);
    expect(log.scrollTop).toBe(0);
    expect(log.isFollowingEnd).toBe(true);
    expect(log.render(4).map((line) => line.trim())).toEqual(['a', 'b']);
  });

  test('stacks put their components below or beside each other', () => {
    const [a, b] = [new Text('a1\na2', 0, 0), new Text('b1', 0, 0)];
    const column = new VStack([a, { component: b, basis: 'auto' }]);
    expect(column.render(6).map((line) => line.trim())).toEqual(['a1', 'a2', 'b1']);
    const row = new tui.HStack([a, { component: b, basis: 4 }]);
    expect(row.render(10)).toHaveLength(2);
    expect(tui.stripTerminalSequences(row.render(10)[0] ?? '')).toBe('a1    b1  ');
    column.removeChild(a);
    expect(column.render(6)).toHaveLength(1);
  });

  test('the renderer has its name of today and that of before; no renderer has a layout of its own', () => {
    expect(new tui.TuiMainScreen(new tui.ProcessTerminal())).toBeInstanceOf(tui.TUI);
    expect(tui.isViewportTUI({})).toBe(false);
  });
});
