/**
 * `pi-platform/testing`: a session for tests of an extension. The extension, its process and the program are real; the model and the person
 * are scripts.
 */
export type { DialogAnswer, DialogMethod, SeenDialog } from './dialog-script.js';
export { createTestSession } from './in-process.js';
export type { ModelReply, ReplyBlock, ReplyCall } from './model/reply.js';
export { type ModelRequest, type ScriptedModel, startScriptedModel } from './model/scripted-model.js';
export { type RpcResponse, startTestProcess, type TestProcess, type TestProcessOptions } from './real-process.js';
export type { Notice, TestedError } from './recording.js';
export type { PromptOutcome, TestSession, TestSessionOptions, ToolOutcome } from './test-session.js';
