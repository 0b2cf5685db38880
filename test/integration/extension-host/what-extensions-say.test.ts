import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, PiProcess, type Sandbox } from '../../support/pi-process.js';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let llm: FakeLlm;
let sandbox: Sandbox;
let pi: PiProcess;

const start = (command: string): void => {
  const source = `export default (pi) => pi.registerCommand('go', { handler: async (args, ctx) => { ${command} } });`;
  sandbox = createSandbox({ providers: fakeProviders(llm.url), files: { 'extension.mjs': source } });
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'thinker', '-e', 'extension.mjs']);
};
beforeEach(async () => {
  llm = await startFakeLlm();
});
afterEach(async () => {
  await pi.end();
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

it('an extension asks a model through ctx.modelRegistry, which brings the credentials', async () => {
  start(`const messages = [{ role: 'user', content: [{ type: 'text', text: 'Sum it up' }], timestamp: 1 }];
    const answer = await ctx.modelRegistry.complete(ctx.model, { systemPrompt: 'Be brief.', messages });
    ctx.ui.notify(answer.stopReason + ': ' + answer.content[0].text);`);
  llm.push({ text: 'A summary' });
  await pi.request({ type: 'prompt', message: '/go' });
  expect(await pi.find(({ method }) => method === 'notify')).toMatchObject({ message: 'stop: A summary' });
  expect(llm.requests[0]?.headers['x-api-key']).toBe('fake-key');
  expect(llm.requests[0]?.raw).toContain('Be brief.');
});

it('a user message in several blocks is one text, followed by its images', async () => {
  const image = `{ type: 'image', mimeType: 'image/png', data: '${PNG}' }`;
  start(`pi.sendUserMessage([{ type: 'text', text: 'one' }, ${image}, { type: 'text', text: 'two' }]);`);
  llm.push({ text: 'Seen' });
  await pi.request({ type: 'prompt', message: '/go' });
  const { message } = await pi.find(({ type, message }) => type === 'message_end' && message.role === 'user');
  expect(message.content).toMatchObject([{ type: 'text', text: 'one\ntwo' }, { type: 'image' }]);
});
