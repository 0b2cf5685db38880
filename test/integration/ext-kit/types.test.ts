import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const AUTHOR = `import {
  CustomEditor, defineTool, type ExtensionAPI, type ExtensionCommandContext, type ExtensionContext, getAgentDir, isBashToolResult,
  isToolCallEventType, type SessionEntry, SessionManager, type SessionStartEvent, type ToolDefinition, truncateHead, VERSION,
} from '@earendil-works/pi-coding-agent';
import { type AssistantMessage, complete, type Model, StringEnum } from '@earendil-works/pi-ai';
import { type Component, matchesKey, Text, visibleWidth } from '@earendil-works/pi-tui';
import { createTestSession, startTestProcess, type ModelReply } from 'pi-platform/testing';

const tool: ToolDefinition = defineTool<{ a: number }>({
  name: 'a', description: '', parameters: { type: 'object' },
  execute: async (_id, { a }, signal) => ({ content: [{ type: 'text', text: a.toFixed(signal.aborted ? 0 : 1) }] }),
});
export default function (pi: ExtensionAPI): void {
  pi.registerTool(tool);
  pi.registerTool({
    name: 'b', description: '', parameters: { type: 'object', properties: { kind: StringEnum(['x', 'y']) } },
    async execute(_id, params, _signal, onUpdate, ctx) {
      onUpdate({ content: [{ type: 'text', text: String(params.kind) }] });
      const model: Model<string> | undefined = ctx.model;
      const answer: AssistantMessage = await complete(model, { messages: [] });
      return { content: [{ type: 'text', text: answer.stopReason }] };
    },
  });
  const component: Component = new Text('x');
  void [component.render(3), visibleWidth('x') + 1, matchesKey('a', 'escape')];
  pi.on('tool_call', (event) => (isToolCallEventType('bash', event) && event.input.command.trim() === '' ? { block: true } : undefined));
  pi.on('tool_call', (event) => {
    if (isToolCallEventType<'deploy', { to: string }>('deploy', event)) event.input.to = event.input.to.trim();
  });
  pi.on('tool_result', (event) => (isBashToolResult(event) ? { isError: event.input.timeout === 1 } : undefined));
  pi.on('session_start', (event: SessionStartEvent, ctx: ExtensionContext) => {
    const entries: SessionEntry[] = ctx.sessionManager.getEntries();
    for (const entry of entries)
      if (entry.type === 'message' && entry.message.role === 'assistant') void entry.message.content.length;
    return void event.reason.toUpperCase();
  });
  pi.registerCommand('x', { handler: (args, ctx: ExtensionCommandContext) => ctx.newSession({ parentSession: args }) });
  void [SessionManager.inMemory(), new CustomEditor(), truncateHead('x'), getAgentDir(), VERSION];
}
export async function test(reply: ModelReply): Promise<string> {
  await using session = await createTestSession({ extension: ['a', new URL('file:///b')], model: ['a', reply], dialogs: [true, null, { title: /x/ }] });
  const { text, tools } = await session.prompt('x');
  for (const event of session.events) if (event.type === 'message_end' && event.message.role === 'user') void event.message.timestamp;
  const pi = await startTestProcess({ extension: 'x', args: ['--seq'] });
  pi.kill();
  return text + tools[0]?.name + (await pi.exited).code;
}
`;

/** What the compiler says of it with the types that authors get and nothing else: not even those of Node. */
function problemsOf(text: string): string[] {
  const file = path.join(ROOT, 'test/integration/ext-kit/author.virtual.ts');
  const types = (name: string): string[] => [path.join(ROOT, 'dist/types', name)];
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    paths: {
      '@earendil-works/pi-coding-agent': types('extension.d.ts'),
      '@earendil-works/*': types('*.d.ts'),
      'pi-platform/testing': types('testing.d.ts'),
    },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, text, version) : getSourceFile(name, version, ...rest);
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options, host)).map(({ start, messageText }) => {
    const line = text.slice(0, start).split('\n').length;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

it('the types that authors get describe what they use, under the names of the existing program, and need no other types', () => {
  expect(problemsOf(AUTHOR)).toEqual([]);
});

it.each([
  ["event.input.command.trim() === ''", 'event.input.comand', "Property 'comand' does not exist"],
  ['dialogs: [true', 'dialogs: [5', "Type 'number' is not assignable"],
  ['event.reason.toUpperCase', 'event.reson.toUpperCase', "Property 'reson' does not exist"],
])('with %s as %s they say what is wrong', (right, wrong, message) => {
  expect(AUTHOR).toContain(right);
  expect(problemsOf(AUTHOR.replace(right, wrong)).join('\n')).toContain(message);
});
