import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, PiProcess, type Sandbox } from '../../support/pi-process.js';

const EXTENSION = `
import { Text } from '@earendil-works/pi-tui';
import { Type } from 'typebox';
const tool = (name: string, more: object) => ({
  name, label: name, description: name, parameters: Type.Object({ text: Type.String() }),
  execute: async (_id: string, params: any) => ({ content: [{ type: 'text', text: 'heard ' + params.text }], details: { n: 7 } }),
  ...more,
});
export default function (pi: any) {
  pi.registerTool(tool('shown', {
    renderCall: (args: any, theme: any) => new Text(theme.bold('calling <' + args.text + '>'), 0, 0),
    renderResult: (result: any) => new Text('seven is ' + result.details.n, 0, 0),
  }));
  pi.registerTool(tool('broken', { renderCall: () => { throw new Error('no picture'); } }));
}`;

let llm: FakeLlm;
let sandbox: Sandbox;

beforeEach(async () => {
  llm = await startFakeLlm(
    {
      toolCalls: [
        { id: 'a', name: 'shown', args: { text: 'x' } },
        { id: 'b', name: 'broken', args: { text: 'y' } },
      ],
    },
    { text: 'done' },
  );
  sandbox = createSandbox({ providers: fakeProviders(llm.url), files: { 'tools.ts': EXTENSION } });
});
afterEach(async () => {
  await llm[Symbol.asyncDispose]();
  sandbox.remove();
});

it('an exported page shows calls as their extension renders them, and others as usual', async () => {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', '-e', 'tools.ts']);
  await pi.request({ type: 'prompt', message: 'go' });
  await pi.find((record) => record.type === 'agent_settled');
  const { data } = await pi.request({ type: 'export_html', outputPath: 'page.html' });
  expect(pi.records.filter(({ type }) => type === 'extension_error')).toEqual([]);
  const page = readFileSync(path.join(sandbox.cwd, data.path), 'utf8');
  expect(page).toContain('calling &lt;x&gt;');
  expect(page).toContain('seven is 7');
  expect(page).toContain('heard y');
  expect(page).not.toContain('no picture');
  await pi.end();
});
