/** `typebox/compile`, `@sinclair/typebox/compile`. */
export * from 'typebox/compile';
export { default } from 'typebox/compile';
