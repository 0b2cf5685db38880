/** `pi-ai/compat`: the same as the root here. */
export * from './pi-ai.js';
