/** `typebox/value` and `@sinclair/typebox/value`. */
export * from 'typebox/value';
export { default } from 'typebox/value';
