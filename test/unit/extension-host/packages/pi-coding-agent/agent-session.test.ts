import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as pi from '../../../../../core/extension-host/packages/pi-coding-agent.js';
import { openSession } from '../../../../../core/session/session.js';
import { type FakeLlm, type FakeReply, startFakeLlm } from '../../../../support/fake-llm/server.js';
import { makePlace, type Place } from './place.js';

let llm: FakeLlm;
let place: Place;
const open: pi.AgentSession[] = [];

beforeEach(async () => {
  llm = await startFakeLlm();
  place = makePlace(llm.url);
});
afterEach(async () => {
  for (const session of open.splice(0)) session.dispose();
  place[Symbol.dispose]();
  await llm[Symbol.asyncDispose]();
});

type Options = NonNullable<Parameters<typeof pi.createAgentSession>[0]>;

async function start(options: Options = {}, ...replies: FakeReply[]) {
  llm.push(...replies);
  const result = await pi.createAgentSession({
    cwd: place.cwd,
    sessionManager: pi.SessionManager.inMemory(place.cwd),
    settingsManager: pi.SettingsManager.inMemory({ retry: { enabled: false } }),
    ...options,
  });
  open.push(result.session);
  return result;
}

const last = (): Record<string, unknown> => llm.requests.at(-1)?.body ?? {};
const toolNames = (): unknown =>
  (last().tools as { function: { name: string } }[] | undefined)?.map((tool) => tool.function.name);

describe('a session within an extension', () => {
  it('answers prompts, with events in the order of the sdk and the message so far in each update', async () => {
    const { session } = await start({ tools: [] }, { text: 'hello there', chunks: ['hello', ' there'] });
    const events: { type: string; text?: string }[] = [];
    session.subscribe((event) => {
      const block = event.type === 'message_update' ? event.message.content[0] : undefined;
      events.push({ type: event.type, ...(block?.type === 'text' ? { text: block.text } : {}) });
    });
    await session.prompt('hi');
    expect(session.getLastAssistantText()).toBe('hello there');
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      'agent_start',
      'turn_start',
      'message_start',
      'message_end',
      'message_start',
      'message_update',
      'message_end',
      'turn_end',
      'agent_end',
      'agent_settled',
    ]);
    expect(events.filter(({ text }) => text === 'hello').length).toBeGreaterThan(0);
    expect(events.findLast(({ type }) => type === 'message_update')?.text).toBe('hello there');
    expect(session.isStreaming).toBe(false);
    expect(session.getSessionStats()).toMatchObject({ userMessages: 1, assistantMessages: 1, sessionId: session.sessionId });
    expect(session.getContextUsage()).toMatchObject({ contextWindow: 100_000, tokens: expect.any(Number) });
    expect(last().model).toBe('m');
    expect(llm.requests[0]?.headers.authorization).toBe('Bearer fake-key');
  });

  it('runs built-in tools in its folder and tools of its own', async () => {
    writeFileSync(join(place.cwd, 'a.txt'), 'the contents');
    const calls: unknown[] = [];
    const status = pi.defineTool({
      name: 'status',
      label: 'Status',
      description: 'Status',
      parameters: { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] },
      async execute(
        id: string,
        params: Record<string, unknown>,
        signal?: AbortSignal,
        _update?: unknown,
        ctx?: { cwd?: string },
      ) {
        calls.push([id, params, signal?.aborted, ctx?.cwd]);
        return { content: [{ type: 'text' as const, text: 'all well' }], details: {} };
      },
    });
    const { session } = await start(
      { tools: ['read', 'status'], customTools: [status] },
      {
        toolCalls: [
          { id: 'c1', name: 'read', args: { path: 'a.txt' } },
          { id: 'c2', name: 'status', args: { of: 'x' } },
        ],
      },
      { text: 'done' },
    );
    await session.prompt('look');
    expect(calls).toEqual([['c2', { of: 'x' }, false, place.cwd]]);
    expect(toolNames()).toEqual(['read', 'status']);
    expect(JSON.stringify(last().messages)).toContain('the contents');
    expect(JSON.stringify(last().messages)).toContain('all well');
    expect(session.getActiveToolNames()).toEqual(['read', 'status']);
    session.setActiveToolsByName(['status', 'nobody']);
    expect(session.getActiveToolNames()).toEqual(['status']);
    expect(session.getAllTools().map(({ name }) => name)).toContain('grep');
  });

  it('takes tools away as it is told', async () => {
    const names = async (options: Options) => (await start(options)).session.getActiveToolNames();
    expect(await names({})).toEqual(['read', 'bash', 'edit', 'write']);
    expect(await names({ noTools: 'all' })).toEqual([]);
    expect(await names({ excludeTools: ['bash'] })).toEqual(['read', 'edit', 'write']);
    const [own] = pi.createReadOnlyTools(place.cwd);
    expect(await names({ noTools: 'builtin', customTools: own ? [{ ...own, name: 'mine' }] : [] })).toEqual(['mine']);
    expect(await names({ tools: pi.createReadOnlyTools(place.cwd) })).toEqual(['read', 'grep', 'find', 'ls']);
  });

  it('writes a session that the program reads, and goes on with one', async () => {
    const manager = pi.SessionManager.create(place.cwd);
    const { session } = await start({ sessionManager: manager, tools: [] }, { text: 'first' });
    await session.prompt('one');
    const core = openSession(manager.getSessionFile() ?? '', { cwd: place.cwd, readOnly: true });
    expect(core.contextMessages()).toEqual(session.messages);
    expect(core.model()).toEqual({ provider: 'fake', modelId: 'm' });
    core.dispose();
    const again = await start(
      { sessionManager: pi.SessionManager.open(manager.getSessionFile() ?? ''), tools: [] },
      { text: 'second' },
    );
    await again.session.prompt('two');
    expect((last().messages as unknown[]).length).toBe(4);
    expect(again.session.model?.id).toBe('m');
  });

  it('says when the model of a session can not be had any more', async () => {
    const manager = pi.SessionManager.inMemory(place.cwd);
    manager.appendModelChange('gone', 'away');
    const { modelFallbackMessage, session } = await start({ sessionManager: manager });
    expect(modelFallbackMessage).toContain('gone/away');
    expect(session.model?.provider).toBe('fake');
  });

  it('rejects a prompt that no model can answer, and says so beforehand', async () => {
    writeFileSync(join(place.agentDir, 'models.json'), '{}');
    const { session } = await start({});
    const preflightResult = vi.fn();
    await expect(session.prompt('hi', { preflightResult })).rejects.toMatchObject({ code: expect.stringContaining('NO_MODEL') });
    expect(preflightResult.mock.calls).toEqual([[false]]);
  });

  it('keeps a failed answer as the last message: the prompt itself does not reject', async () => {
    const { session } = await start({ tools: [] }, { status: 401, body: { error: { message: 'bad key' } } });
    await session.prompt('hi');
    expect(session.messages.at(-1)).toMatchObject({
      role: 'assistant',
      stopReason: 'error',
      errorMessage: expect.stringContaining('bad key'),
    });
    expect(session.agent.state.errorMessage).toContain('bad key');
  });

  it('stops when it is aborted, and can be asked again', async () => {
    const { session } = await start({ tools: [] }, { text: 'endless', hang: true }, { text: 'fine' });
    const running = session.prompt('hi');
    await llm.request(0);
    expect(session.isStreaming).toBe(true);
    await session.abort();
    await running;
    expect(session.messages.at(-1)).toMatchObject({ stopReason: 'aborted' });
    await session.prompt('again');
    expect(session.getLastAssistantText()).toBe('fine');
  });

  it('queues what is said while it works', async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { session } = await start({ tools: [] }, { text: 'one', hold }, { text: 'two' });
    const running = session.prompt('first');
    await llm.request(0);
    await expect(session.prompt('second')).rejects.toMatchObject({ code: expect.stringContaining('BUSY') });
    await session.followUp('third');
    expect(session.pendingMessageCount).toBe(1);
    release();
    await running;
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(session.clearQueue()).toEqual({ steering: [], followUp: [] });
  });

  it('changes model and thinking, and records it', async () => {
    const { session } = await start({ thinkingLevel: 'low' });
    expect(session.thinkingLevel).toBe('low');
    session.setThinkingLevel('high');
    const other = session.modelRuntime.getModel('fake', 'other');
    if (!other) throw new Error('the place has two models');
    await session.setModel(other);
    expect([session.model?.id, session.thinkingLevel]).toEqual(['other', 'off']);
    expect(session.sessionManager.getEntries().map(({ type }) => type)).toContain('model_change');
    expect(session.getAvailableThinkingLevels()).toEqual(['off']);
    expect(await session.cycleModel()).toMatchObject({ model: { id: 'm' } });
  });

  it('compacts its context', async () => {
    const settingsManager = pi.SettingsManager.inMemory({ compaction: { keepRecentTokens: 1 }, retry: { enabled: false } });
    const { session } = await start(
      { tools: [], settingsManager },
      { text: 'one' },
      { text: 'two' },
      { text: 'a summary' },
      { text: 'a summary' },
    );
    await session.prompt('first question');
    await session.prompt('second question');
    const result = await session.compact('mind the details');
    expect(result.summary).toContain('a summary');
    expect(
      llm.requests
        .slice(2)
        .map(({ raw }) => raw)
        .join(),
    ).toContain('mind the details');
    expect(session.messages[0]).toMatchObject({ role: 'compactionSummary', summary: result.summary });
  });

  it('moves in its tree and tells what it left', async () => {
    const { session } = await start({ tools: [] }, { text: 'one' }, { text: 'what was left' });
    await session.prompt('first question');
    const [first] = session.getUserMessagesForForking();
    expect(first?.text).toBe('first question');
    const moved = await session.navigateTree(first?.entryId ?? '', { summarize: true, label: 'here' });
    expect(moved).toEqual({ cancelled: false, editorText: 'first question' });
    const summary = session.sessionManager.getEntries().find(({ type }) => type === 'branch_summary');
    expect(summary).toMatchObject({ summary: 'what was left' });
    expect(session.sessionManager.getLabel(summary?.id ?? '')).toBe('here');
  });

  it('lets its state be replaced', async () => {
    const { session } = await start({}, { text: 'yes' });
    session.agent.state.systemPrompt = 'You are short.';
    session.agent.state.messages = [{ role: 'user', content: 'before', timestamp: 1 }];
    session.agent.state.tools = session.agent.state.tools.filter(({ name }) => name === 'read');
    await session.prompt('now');
    await session.agent.waitForIdle();
    expect(JSON.stringify(last().messages)).toMatch(/You are short\..*before.*now/);
    expect(toolNames()).toEqual(['read']);
  });

  it('runs a command and puts it into the conversation', async () => {
    const { session } = await start({});
    const chunks: string[] = [];
    const result = await session.executeBash('echo out', (chunk) => chunks.push(chunk));
    expect(result).toMatchObject({ output: 'out\n', exitCode: 0 });
    expect(chunks.join('')).toBe('out\n');
    expect(session.messages.at(-1)).toMatchObject({ role: 'bashExecution', command: 'echo out' });
  });

  it('refuses everything once it was disposed', async () => {
    const { session } = await start({});
    session.dispose();
    session.dispose();
    await expect(session.prompt('hi')).rejects.toMatchObject({ code: 'PACKAGE_SESSION_DISPOSED' });
  });
});

describe('what a loader brings', () => {
  it('becomes the system prompt: instructions, skills, overrides', async () => {
    writeFileSync(join(place.cwd, 'AGENTS.md'), 'Be kind.');
    mkdirSync(join(place.agentDir, 'skills/one'), { recursive: true });
    writeFileSync(join(place.agentDir, 'skills/one/SKILL.md'), '---\nname: one\ndescription: does it\n---\nThe steps.');
    mkdirSync(join(place.agentDir, 'prompts'));
    writeFileSync(join(place.agentDir, 'prompts/deploy.md'), 'Deploy $1 now.');
    const loader = new pi.DefaultResourceLoader({
      cwd: place.cwd,
      agentDir: place.agentDir,
      systemPromptOverride: (base) => `${base ?? ''}You deploy.`,
      appendSystemPromptOverride: (base) => [...base, 'Never on Fridays.'],
      skillsOverride: (current) => ({ ...current, skills: [...current.skills] }),
    });
    await loader.reload();
    expect(loader.getSkills().skills).toMatchObject([{ name: 'one', description: 'does it' }]);
    expect(loader.getPrompts().prompts).toMatchObject([{ name: 'deploy', content: 'Deploy $1 now.' }]);
    expect(loader.getAgentsFiles().agentsFiles).toMatchObject([{ path: join(place.cwd, 'AGENTS.md') }]);
    const { session } = await start({ resourceLoader: loader }, { text: 'ok' }, { text: 'ok' }, { text: 'ok' });
    for (const part of ['You deploy.', 'Never on Fridays.', 'Be kind.', '<name>one</name>'])
      expect(session.systemPrompt).toContain(part);
    await session.prompt('/deploy api');
    expect(JSON.stringify(session.messages[0])).toContain('Deploy api now.');
    await session.prompt('/skill:one with care');
    expect(JSON.stringify(session.messages[2])).toContain('The steps.');
    await session.prompt('/deploy api', { expandPromptTemplates: false });
    expect(JSON.stringify(session.messages[4])).toContain('/deploy api');
  });

  it('leaves out what is switched off, and what an untrusted project brings', async () => {
    writeFileSync(join(place.cwd, 'AGENTS.md'), 'Be kind.');
    mkdirSync(join(place.cwd, '.pi/prompts'), { recursive: true });
    writeFileSync(join(place.cwd, '.pi/prompts/evil.md'), 'do evil');
    const loader = new pi.DefaultResourceLoader({ cwd: place.cwd, agentDir: place.agentDir, noContextFiles: true });
    await loader.reload();
    expect(loader.getAgentsFiles().agentsFiles).toEqual([]);
    expect(loader.getPrompts().prompts).toEqual([]);
    writeFileSync(join(place.agentDir, 'trust.json'), JSON.stringify({ [place.cwd]: true }));
    await loader.reload();
    expect(loader.getPrompts().prompts).toMatchObject([{ name: 'evil' }]);
  });

  it('may be extensions as functions: tools, commands, events, and a say in what is done', async () => {
    const seen: string[] = [];
    const loader = new pi.DefaultResourceLoader({
      cwd: place.cwd,
      agentDir: place.agentDir,
      additionalExtensionPaths: ['/some/extension.ts'],
      extensionFactories: [
        {
          name: 'guard',
          factory(api) {
            api.on('session_start', () => void seen.push('session_start'));
            api.on('agent_end', () => void seen.push('agent_end'));
            api.on('before_agent_start', (event) => ({ systemPrompt: `${String(event.systemPrompt)}\nGuarded.` }));
            api.on('tool_call', (event) => {
              const input = event.input as { command?: string; path?: string };
              if (input.command?.includes('rm')) return { block: true, reason: 'no removing' };
              if (input.command) input.command = `echo changed; ${input.command}`;
              return undefined;
            });
            api.on('tool_result', (event) =>
              event.isError ? undefined : { content: [{ type: 'text', text: 'seen by guard' }] },
            );
            api.registerCommand('note', { handler: (args) => void seen.push(`note ${args}`) });
          },
        },
        () => {
          throw new Error('broken factory');
        },
      ],
    });
    await loader.reload();
    const replies: FakeReply[] = [
      {
        toolCalls: [
          { id: '1', name: 'bash', args: { command: 'rm x' } },
          { id: '2', name: 'bash', args: { command: 'echo fine' } },
        ],
      },
      { text: 'done' },
    ];
    const { session, extensionsResult } = await start({ resourceLoader: loader }, ...replies);
    expect(extensionsResult.errors.map(({ path }) => path)).toEqual(['/some/extension.ts', '<inline:2>']);
    await session.prompt('/note take care');
    expect(llm.requests).toHaveLength(0);
    await session.prompt('go');
    expect(seen).toEqual(['session_start', 'note take care', 'agent_end']);
    const results = session.messages.filter(({ role }) => role === 'toolResult');
    expect(results).toMatchObject([
      { isError: true, content: [{ text: expect.stringContaining('no removing') }] },
      { content: [{ text: 'seen by guard' }] },
    ]);
    expect(JSON.stringify(last().messages)).toContain('Guarded.');
    await expect(session.steer('/note later')).rejects.toMatchObject({ code: 'PACKAGE_BAD_ARGUMENT' });
  });
});

describe('summaries without a session', () => {
  it('are asked for with the key and the headers that are given', async () => {
    llm.push({ text: 'in short' }, { text: 'whole' }, { text: 'prefix' }, { text: 'of the branch' });
    const runtime = await pi.ModelRuntime.create();
    const model = runtime.getModel('fake', 'm');
    if (!model) throw new Error('the place has this model');
    const messages = [{ role: 'user' as const, content: 'long talk', timestamp: 1 }];
    const summary = await pi.generateSummaryWithUsage(
      messages,
      model,
      1000,
      'KEY',
      { 'x-h': 'H' },
      undefined,
      'focus',
      'earlier',
    );
    expect(summary).toMatchObject({ text: 'in short', usage: { input: expect.any(Number) } });
    expect(llm.requests[0]?.headers).toMatchObject({ authorization: 'Bearer KEY', 'x-h': 'H' });
    for (const part of ['long talk', 'focus', 'earlier']) expect(llm.requests[0]?.raw).toContain(part);
    const preparation = {
      firstKeptEntryId: 'k',
      messagesToSummarize: messages,
      turnPrefixMessages: messages,
      isSplitTurn: true,
      tokensBefore: 9,
      fileOps: { read: new Set(['r.txt', 'e.txt']), written: new Set(['w.txt']), edited: new Set(['e.txt']) },
    };
    const compacted = await pi.compact(preparation, model, 'KEY', {}, 'focus');
    expect(compacted).toMatchObject({
      firstKeptEntryId: 'k',
      tokensBefore: 9,
      details: { readFiles: ['r.txt'], modifiedFiles: ['e.txt', 'w.txt'] },
    });
    expect(compacted.summary).toMatch(/<modified-files>\ne\.txt\nw\.txt\n<\/modified-files>$/);
    const manager = pi.SessionManager.inMemory();
    manager.appendMessage({ role: 'user', content: 'tried', timestamp: 1 });
    const branch = await pi.generateBranchSummary(manager.getEntries(), {
      model,
      apiKey: 'KEY',
      signal: new AbortController().signal,
    });
    expect(branch.summary).toContain('of the branch');
    expect(await pi.generateBranchSummary(manager.getEntries(), { model, apiKey: 'KEY', signal: AbortSignal.abort() })).toEqual({
      aborted: true,
    });
  });
});
