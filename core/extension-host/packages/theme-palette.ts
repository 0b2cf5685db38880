import type { ColorValue } from './theme-color.js';

/** Colours of a theme that lie behind text; all others are colours of text. Source: themes document, "Color Tokens". */
export const BACKGROUND_COLORS = [
  'selectedBg',
  'scrollbarThumb',
  'userMessageBg',
  'customMessageBg',
  'toolPendingBg',
  'toolSuccessBg',
  'toolErrorBg',
] as const;
export type ThemeBg = (typeof BACKGROUND_COLORS)[number];

export const FOREGROUND_COLORS = [
  'accent',
  'border',
  'borderAccent',
  'borderMuted',
  'success',
  'error',
  'warning',
  'muted',
  'dim',
  'text',
  'thinkingText',
  'userMessageText',
  'customMessageText',
  'customMessageLabel',
  'toolTitle',
  'toolOutput',
  'mdHeading',
  'mdLink',
  'mdLinkUrl',
  'mdCode',
  'mdCodeBlock',
  'mdCodeBlockBorder',
  'mdQuote',
  'mdQuoteBorder',
  'mdHr',
  'mdListBullet',
  'toolDiffAdded',
  'toolDiffRemoved',
  'toolDiffContext',
  'syntaxComment',
  'syntaxKeyword',
  'syntaxFunction',
  'syntaxVariable',
  'syntaxString',
  'syntaxNumber',
  'syntaxType',
  'syntaxOperator',
  'syntaxPunctuation',
  'thinkingOff',
  'thinkingMinimal',
  'thinkingLow',
  'thinkingMedium',
  'thinkingHigh',
  'thinkingXhigh',
  'thinkingMax',
  'bashMode',
] as const;
export type ThemeColor = (typeof FOREGROUND_COLORS)[number];

/** A colour that a theme may leave out -> the one it is then. Source: themes document, "Theme Format". */
export const COLOR_FALLBACKS = { thinkingMax: 'thinkingXhigh', scrollbarThumb: 'selectedBg' } as const;

const teal = '#5fc9bf';
const blue = '#79a8f0';
const green = '#93c47d';
const red = '#e06c75';
const amber = '#e5b567';
const violet = '#b294e0';
const grey = '#8b929e';
const darkGrey = '#5f6672';

/** Our own dark theme: soft colours that stay readable on any dark background. */
export const DARK_COLORS: Readonly<Record<ThemeColor, ColorValue>> & Readonly<Record<ThemeBg, ColorValue>> = {
  accent: teal,
  border: blue,
  borderAccent: teal,
  borderMuted: darkGrey,
  success: green,
  error: red,
  warning: amber,
  muted: grey,
  dim: darkGrey,
  text: '',
  thinkingText: grey,
  selectedBg: '#2f3744',
  scrollbarThumb: '#4a5362',
  userMessageBg: '#2a303b',
  userMessageText: '',
  customMessageBg: '#2d2a3b',
  customMessageText: '',
  customMessageLabel: violet,
  toolPendingBg: '#252a33',
  toolSuccessBg: '#243029',
  toolErrorBg: '#362628',
  toolTitle: '',
  toolOutput: grey,
  mdHeading: amber,
  mdLink: blue,
  mdLinkUrl: darkGrey,
  mdCode: teal,
  mdCodeBlock: green,
  mdCodeBlockBorder: darkGrey,
  mdQuote: grey,
  mdQuoteBorder: darkGrey,
  mdHr: darkGrey,
  mdListBullet: teal,
  toolDiffAdded: green,
  toolDiffRemoved: red,
  toolDiffContext: grey,
  syntaxComment: darkGrey,
  syntaxKeyword: violet,
  syntaxFunction: blue,
  syntaxVariable: red,
  syntaxString: green,
  syntaxNumber: amber,
  syntaxType: teal,
  syntaxOperator: '#a9b2c0',
  syntaxPunctuation: '#a9b2c0',
  thinkingOff: darkGrey,
  thinkingMinimal: grey,
  thinkingLow: blue,
  thinkingMedium: teal,
  thinkingHigh: violet,
  thinkingXhigh: '#d670c8',
  thinkingMax: '#f0609a',
  bashMode: amber,
};
