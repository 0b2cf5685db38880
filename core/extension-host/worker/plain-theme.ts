import type { ThemeApi } from '../contract/public.js';

const same = (text: string): string => text;
const sameSecond = (_color: string, text: string): string => text;

/** Strings as they are: until somebody needs the colours. */
export const plainTheme: ThemeApi = {
  name: 'plain',
  fg: sameSecond,
  bg: sameSecond,
  bold: same,
  italic: same,
  underline: same,
  inverse: same,
  strikethrough: same,
};
