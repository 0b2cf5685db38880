// Colours, as the sixteen that every terminal has.
const style = (open, close) => (text) => (text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`);

export const bold = style(1, 22);
export const dim = style(2, 22);
export const red = style(31, 39);
export const green = style(32, 39);
export const yellow = style(33, 39);
export const cyan = style(36, 39);

export const selectTheme = {
  selectedPrefix: cyan,
  selectedText: cyan,
  description: dim,
  scrollInfo: dim,
  noMatch: dim,
};
export const editorTheme = { borderColor: dim, selectList: selectTheme };
export const markdownTheme = {
  heading: bold,
  link: cyan,
  linkUrl: dim,
  code: yellow,
  codeBlock: (text) => text,
  codeBlockBorder: dim,
  quote: dim,
  quoteBorder: dim,
  hr: dim,
  listBullet: cyan,
  bold,
  italic: style(3, 23),
  strikethrough: style(9, 29),
  underline: style(4, 24),
};
