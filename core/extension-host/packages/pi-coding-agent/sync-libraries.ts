/**
 * Libraries behind functions that must answer at once, so that `await import()` is no way to them. In the bundle each `require` is a
 * function that evaluates the library when it is first called; nobody who does not use them pays for more than their text.
 */
export const diffLibrary = (): typeof import('diff') => require('diff') as typeof import('diff');
export const frontMatterLibrary = (): typeof import('gray-matter') => require('gray-matter') as typeof import('gray-matter');
export const highlighter = (): typeof import('highlight.js').default =>
  require('highlight.js/lib/common') as typeof import('highlight.js').default;
