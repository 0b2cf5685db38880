import { expect, it } from 'vitest';
import { renderHelp } from '../../../core/modes/cli/help.js';
import { OPTIONS, type OptionRow } from '../../../core/modes/cli/option-table.js';

const help = renderHelp('1.2.3');

it('shows every option and alias that does something, and none that does not', () => {
  for (const row of OPTIONS as readonly OptionRow[]) {
    for (const spelling of [`--${row.name}`, ...(row.aliases ?? [])]) {
      const shown = new RegExp(`(^|[\\s,])${spelling}(?=[\\s,])`, 'm').test(help.replace(/--(continue|session) for/g, ''));
      expect([spelling, shown]).toEqual([spelling, !row.terminalOnly]);
    }
  }
});

it('fits a terminal and ends with one newline', () => {
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  expect(help).toMatch(/[^\n]\n$/);
  expect(help).toContain('pi 1.2.3');
});

it('shows the commands that are built, not those that are only reserved', () => {
  expect(help).toContain('pi auth set|list|remove');
  expect(help).toContain('pi install <source>');
  expect(help).toContain('pi ext check|new|test|watch|trust|learn');
});

it('keeps a gap between an option and its text', () => {
  for (const line of help.split('\n')) if (/^ {2}-/.test(line) && line.length > 38) expect(line.slice(0, 38)).toMatch(/ $/);
  expect(help).toMatch(/OPENAI_API_KEY, …\n +Keys of providers/);
});

it('says what exit codes mean', () => {
  expect(help).toMatch(/Exit codes: 0 .*1 .*2 .*143 .*129/);
});
