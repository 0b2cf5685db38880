import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../support/pi-process.js';
import { createWorld, type World } from './sub-agents-support.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.remove());

const toolsOf = (request: Json): string[] => (request.body.tools ?? []).map(({ name }: Json) => name);

describe('a sub-agent', { timeout: 60_000 }, () => {
  it('has the model, the thinking level and the prompt options of the session, and its own prompt', async () => {
    world.agent('poet', { description: 'Writes' }, 'Answer in verse.');
    const pi = world.start('--append-system-prompt', 'House rule: no puns.', '--model', 'fake/thinker', '--thinking', 'high');
    await world.call(pi, { agent: 'poet', task: 'a rose' }, { text: 'is a rose' });
    const [parent, child] = world.llm.requests as Json[];
    expect(child.body).toMatchObject({ model: 'thinker', thinking: parent.body.thinking });
    expect(JSON.stringify(child.body.system)).toContain('Answer in verse.');
    expect(JSON.stringify(child.body.system)).toContain('House rule: no puns.');
    await pi.end();
  });

  it('has no tool that the session has not, and the details say what of its file is missing', async () => {
    world.agent('writer', { description: 'Asks for all', tools: 'read, grep, bash, write' });
    const pi = world.start('--tools', 'read,subagent');
    const end = await world.call(pi, { agent: 'writer', task: 'x' }, { text: 'y' });
    expect(toolsOf(world.llm.requests[1]).sort()).toEqual(['grep', 'read']);
    expect(end.result.details.tasks[0].missingTools).toEqual(['bash', 'write']);
    await pi.end();
  });

  it('is trusted with the project as far as the session is, whatever is remembered', async () => {
    const folder = path.join(world.sandbox.cwd, '.pi');
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'APPEND_SYSTEM.md'), 'The project says hello.');
    fs.writeFileSync(
      path.join(world.sandbox.agentDir, 'trust.json'),
      JSON.stringify({ [fs.realpathSync(world.sandbox.cwd)]: true }),
    );
    for (const [trust, expected] of [
      ['--no-approve', false],
      ['--approve', true],
    ] as const) {
      const at = world.llm.requests.length;
      const pi = world.start(trust);
      await world.call(pi, { task: 'x' }, { text: 'y' });
      expect(JSON.stringify(world.llm.requests[at + 1]?.body.system).includes('The project says hello.')).toBe(expected);
      await pi.end();
    }
  });

  it('is not made to trust what the project has come to bring since the session began', async () => {
    const pi = world.start();
    await pi.request({ type: 'get_commands' });
    fs.mkdirSync(path.join(world.sandbox.cwd, '.pi'));
    fs.writeFileSync(path.join(world.sandbox.cwd, '.pi/APPEND_SYSTEM.md'), 'Planted.');
    await world.call(pi, { task: 'x' }, { text: 'y' });
    expect(world.llm.requests).toHaveLength(3);
    expect(JSON.stringify(world.llm.requests[1]?.body.system)).not.toContain('Planted.');
    await pi.end();
  });

  it('has the extensions, and their flags, of the command line', async () => {
    const probe = path.join(world.sandbox.root, 'probe.ts');
    fs.writeFileSync(
      probe,
      "export default (pi) => { pi.registerFlag('mark', { type: 'string' }); pi.on('before_agent_start', (e) => ({ systemPrompt: e.systemPrompt + ' mark=' + pi.getFlag('mark') })); };",
    );
    const pi = world.start('-e', probe, '--mark', 'blue');
    await world.call(pi, { task: 'x' }, { text: 'y' });
    expect(JSON.stringify(world.llm.requests[1]?.body.system)).toContain('mark=blue');
    await pi.end();
  });

  it('asks through the session when an extension of it asks, and is declined where nobody can answer', async () => {
    const asks = path.join(world.sandbox.root, 'asks.ts');
    fs.writeFileSync(
      asks,
      "export default (pi) => pi.on('tool_call', async (e, ctx) => e.toolName === 'bash' && !(await ctx.ui.confirm('Run?', e.input.command)) ? { block: true, reason: 'declined' } : undefined);",
    );
    const pi = world.start('-e', asks);
    const called = world.call(pi, { agent: 'helper', task: 'run "echo $((40 + 2))"' });
    const dialog = await pi.find((record) => record.method === 'confirm');
    expect(dialog).toMatchObject({ title: 'helper: Run?', message: 'echo $((40 + 2))' });
    pi.send({ type: 'extension_ui_response', id: dialog.id, confirmed: true });
    expect((await called).result.content[0].text).toContain('42');
    await pi.end();
    const silent = world.start('-e', asks, '--no-dialogs');
    const end = await world.call(silent, { agent: 'helper', task: 'run "echo $((40 + 2))"' });
    expect(end.result.content[0].text).toContain('declined');
    await silent.end();
  });

  it('has sub-agents of its own only down to the depth allowed', async () => {
    const pi = world.start();
    await world.call(
      pi,
      { task: 'first' },
      { toolCalls: [{ name: 'subagent', args: { task: 'second' } }] },
      { text: 'bottom' },
      { text: 'middle' },
    );
    const [, first, second] = world.llm.requests as Json[];
    expect(toolsOf(first)).toContain('subagent');
    expect(toolsOf(second)).not.toContain('subagent');
    await pi.end();
    const none = world.start('--subagent-depth', '0');
    const { data } = await none.request({ type: 'get_tools' });
    expect(data.tools.map(({ name }: Json) => name)).not.toContain('subagent');
    await none.end();
  });

  it('spends from what is left of --max-cost; at the end of it all of them stop, and it is an error', async () => {
    const dear = { input: 1_000_000, output: 0 };
    const pi = world.start('--max-cost', '1.5');
    world.llm.push({ toolCalls: [{ name: 'subagent', args: { task: 'loop' } }], usage: { input: 500_000, output: 0 } });
    world.llm.push({ toolCalls: [{ name: 'ls', args: {} }], usage: dear }, { text: 'never said' });
    const events = await pi.prompt('go');
    const end = events.find(({ type }) => type === 'tool_execution_end');
    expect(end.isError).toBe(true);
    expect(end.result.content[0].text).toContain('--max-cost');
    expect(end.result.details.usage.cost.total).toBe(1);
    // Neither of them has asked again.
    expect(world.llm.requests).toHaveLength(2);
    await pi.end();
  });
});
