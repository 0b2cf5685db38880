/** What is used of sucrase. In the shipped program it is a file of its own, which stands for the package. */
export { transform } from 'sucrase/dist/index.js';
export { parse } from 'sucrase/dist/parser/index.js';
export { TokenType } from 'sucrase/dist/parser/tokenizer/types.js';
