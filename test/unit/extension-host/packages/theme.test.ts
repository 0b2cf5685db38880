import { describe, expect, test } from 'vitest';
import { createTheme, defaultTheme, Theme } from '../../../../core/extension-host/packages/theme.js';
import { detectColorMode } from '../../../../core/extension-host/packages/theme-color.js';
import { BACKGROUND_COLORS, DARK_COLORS, FOREGROUND_COLORS } from '../../../../core/extension-host/packages/theme-palette.js';

const fg = { accent: '#00ff00', muted: 242, text: '', thinkingOff: '#101010', thinkingXhigh: '#ff0000', bashMode: '#0000ff' };

describe('a theme', () => {
  test('turns a colour on before the text and only that colour off after it', () => {
    const theme = new Theme(fg, { selectedBg: '#123456' }, 'truecolor');
    expect(theme.fg('accent', 'x')).toBe('\x1b[38;2;0;255;0mx\x1b[39m');
    expect(theme.fg('muted', 'x')).toBe('\x1b[38;5;242mx\x1b[39m');
    expect(theme.fg('text', 'x')).toBe('\x1b[39mx\x1b[39m');
    expect(theme.bg('selectedBg', 'x')).toBe('\x1b[48;2;18;52;86mx\x1b[49m');
    expect(theme.getFgAnsi('accent')).toBe('\x1b[38;2;0;255;0m');
    expect(theme.getBgAnsi('selectedBg')).toBe('\x1b[48;2;18;52;86m');
  });

  test('takes the nearest colour of the palette where there are only 256', () => {
    const theme = new Theme(fg, { selectedBg: '#123456' }, '256color');
    expect(theme.fg('accent', 'x')).toBe('\x1b[38;5;46mx\x1b[39m');
    expect(theme.fg('thinkingOff', 'x')).toBe('\x1b[38;5;233mx\x1b[39m');
    expect(theme.fg('thinkingXhigh', 'x')).toBe('\x1b[38;5;196mx\x1b[39m');
    expect(theme.getColorMode()).toBe('256color');
  });

  test('styles nest: the end of one leaves the other on', () => {
    const theme = defaultTheme();
    expect(theme.bold(theme.italic('x'))).toBe('\x1b[1m\x1b[3mx\x1b[23m\x1b[22m');
    expect(theme.underline(theme.inverse(theme.strikethrough('x')))).toBe('\x1b[4m\x1b[7m\x1b[9mx\x1b[29m\x1b[27m\x1b[24m');
  });

  test('throws for a colour that no theme has', () => {
    const theme = defaultTheme();
    expect(() => theme.fg('nope' as 'accent', 'x')).toThrow('Unknown theme color: nope');
    expect(() => theme.bg('toString' as 'selectedBg', 'x')).toThrow('Unknown theme background color: toString');
    expect(() => new Theme({ accent: 'rgb(0,0,0)' }, {}, 'truecolor')).toThrow('Not a colour');
  });

  test('colours a border by the thinking level; a level without a colour has that of the level below, an unknown one that of off', () => {
    const theme = new Theme(fg, { selectedBg: 17 }, 'truecolor');
    expect(theme.getThinkingBorderColor('max')('x')).toBe(theme.fg('thinkingXhigh', 'x'));
    expect(theme.getThinkingBorderColor('whatever')('x')).toBe(theme.fg('thinkingOff', 'x'));
    expect(theme.getBashModeBorderColor()('x')).toBe(theme.fg('bashMode', 'x'));
    expect(theme.bg('scrollbarThumb', 'x')).toBe(theme.bg('selectedBg', 'x'));
  });
});

test('the default theme has every colour that themes have', () => {
  const theme = defaultTheme();
  expect(theme.name).toBe('dark');
  for (const name of FOREGROUND_COLORS) expect(theme.fg(name, 'x')).toMatch(/^\x1b\[[\d;]+mx\x1b\[39m$/);
  for (const name of BACKGROUND_COLORS) expect(theme.bg(name, 'x')).toMatch(/^\x1b\[[\d;]+mx\x1b\[49m$/);
  expect(FOREGROUND_COLORS.length + BACKGROUND_COLORS.length).toBe(53);
});

test('a theme made of all colours puts each on its own layer', () => {
  const theme = createTheme(DARK_COLORS, 'truecolor', { name: 'own', sourcePath: '/themes/own.json' });
  expect(theme).toMatchObject({ name: 'own', sourcePath: '/themes/own.json' });
  expect(() => theme.fg('selectedBg' as 'accent', 'x')).toThrow('Unknown theme color');
});

test('full colour is used only where the environment promises it', () => {
  expect(detectColorMode({ COLORTERM: 'truecolor' })).toBe('truecolor');
  expect(detectColorMode({ COLORTERM: '24bit', TERM: 'screen' })).toBe('truecolor');
  expect(detectColorMode({ TERM: 'xterm-256color' })).toBe('256color');
  expect(detectColorMode({})).toBe('256color');
});
