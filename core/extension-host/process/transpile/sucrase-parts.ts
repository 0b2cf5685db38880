/** What is used of sucrase. In the shipped program this is a file of its own, loaded when the first source has to be transpiled. */
export { transform } from 'sucrase/dist/index.js';
export { parse } from 'sucrase/dist/parser/index.js';
export { TokenType as types } from 'sucrase/dist/parser/tokenizer/types.js';
