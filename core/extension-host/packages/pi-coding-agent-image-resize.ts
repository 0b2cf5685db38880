export * from './pi-coding-agent/image-resize.js';
