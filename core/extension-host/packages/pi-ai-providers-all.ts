/** `pi-ai/providers/all`. */
export * from './pi-ai/built-in-catalogue.js';
