/**
 * `typebox` and `@sinclair/typebox`: one library under both names, as in the existing program, so that schemas of extensions that use
 * different names fit together.
 */
export * from 'typebox';
export { default } from 'typebox';
