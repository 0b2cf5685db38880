export { anthropicFrames } from '../../../core/testing/model/anthropic.js';
