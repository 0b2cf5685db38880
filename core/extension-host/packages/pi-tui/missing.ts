import { unsupportedClass, unsupportedFunction } from '../unsupported.js';

// What no counted extension uses, or only where a terminal is drawn on.

const TERMINAL =
  'This program draws on no terminal; check ctx.hasUI and ctx.mode first, and show text with ctx.ui.notify() or setWidget().';
const missing = (name: string, instead: string) => unsupportedFunction('pi-tui', name, instead);

export const TuiAltScreen = unsupportedClass('pi-tui', 'TuiAltScreen', TERMINAL);
export const compositeTuiLine = missing('compositeTuiLine', TERMINAL);
export const getOsc8LinkAtColumn = missing('getOsc8LinkAtColumn', TERMINAL);
export const parseOsc11BackgroundColor = missing('parseOsc11BackgroundColor', TERMINAL);
export const parseTerminalColorSchemeReport = missing('parseTerminalColorSchemeReport', TERMINAL);
export const setCapabilityOverrides = missing('setCapabilityOverrides', 'Use setCapabilities().');
export const renderLatex = missing('renderLatex', 'Install a package that renders LaTeX beside your extension.');
export const Marked = unsupportedClass('pi-tui', 'Marked', 'Install the package "marked" beside your extension.');
