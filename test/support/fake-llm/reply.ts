export { type Frame, type ModelReply as FakeReply, type Script, toScript } from '../../../core/testing/model/reply.js';
