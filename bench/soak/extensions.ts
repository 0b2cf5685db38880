/** Sources of the twenty extensions of the soak, by file name. */

/** A helper in each file: `now()` is true about once in `seconds`, over reloads too; every extension has its own clock. */
const CLOCK = `
const key = Symbol.for('soak.' + import.meta.url);
const clock = ((globalThis as any)[key] ??= { next: 0 });
const after = (seconds: number) => Date.now() + seconds * (500 + Math.random() * 1000);
function now(seconds: number): boolean {
  if (clock.next === 0) clock.next = after(seconds);
  if (Date.now() < clock.next) return false;
  clock.next = after(seconds);
  return true;
}`;

const tool = (index: number): string => `
  pi.registerTool({ name: 'tool_${index}', label: 'Tool ${index}', description: 'Answers', parameters: Type.Object({ text: Type.String() }),
    execute: async (_id: string, params: any, signal: any, onUpdate: any, ctx: any) => {
      for (let step = 0; step < 3; step++) { onUpdate({ content: [{ type: 'text', text: 'step ' + step }] }); await new Promise((r) => setTimeout(r, 2)); }
      return { content: [{ type: 'text', text: 'tool ${index} heard ' + params.text + ' of ' + ctx.sessionManager.getEntries().length }], details: { index: ${index} } };
    } });`;

/** Behave well: a tool each, and by turns hooks, listeners, entries, statuses, the bus and dialogs. */
const GOOD: readonly string[] = [
  `pi.on('tool_call', async (event: any) => { event.input.checked = true; });`,
  `pi.on('message_update', () => { seen++; }); pi.on('agent_end', (_: any, ctx: any) => ctx.ui.setStatus('seen', String(seen)));`,
  `pi.on('before_agent_start', (event: any) => ({ systemPrompt: event.systemPrompt + '\\nBe brief.' }));`,
  `pi.on('tool_result', (event: any) => ({ details: { ...event.details, passed: true } }));`,
  `pi.on('input', async (_: any, ctx: any) => { if (Math.random() < 0.2) await ctx.ui.confirm('Go on?', 'really', { timeout: 1500 }); });`,
  `pi.on('turn_end', () => { pi.appendEntry('soak', { seen: ++seen }); });`,
  `pi.events.on('soak', () => { seen++; }); pi.on('agent_end', () => pi.events.emit('soak', { seen }));`,
  `pi.on('context', (event: any) => ({ messages: event.messages }));`,
  `pi.on('agent_end', async (_: any, ctx: any) => { if (Math.random() < 0.1) await ctx.ui.select('Which?', ['a', 'b'], { timeout: 1500 }); });`,
  `pi.on('session_start', (_: any, ctx: any) => ctx.ui.notify('started'));`,
  `pi.registerCommand('soak', { handler: async (_: string, ctx: any) => ctx.ui.setWidget('soak', ['line']) });`,
  `pi.on('message_end', (event: any) => { seen += JSON.stringify(event.message).length; });`,
  `let timer: any; pi.on('session_start', () => { timer = setInterval(() => { seen++; }, 50); }); pi.on('session_shutdown', () => clearInterval(timer));`,
  `pi.on('tool_execution_update', () => { seen++; });`,
];

/** Misbehave now and then, each in its way; seldom enough that most are not put away for good at once. */
const BAD: Readonly<Record<string, string>> = {
  throws: `pi.on('turn_start', () => { if (Math.random() < 0.2) throw new Error('thrown'); });
    pi.on('message_end', () => { if (now(20)) setTimeout(() => { throw new Error('late'); }, 1); });
    pi.on('agent_end', () => { if (now(20)) void Promise.reject(new Error('rejected')); });`,
  loops: `pi.on('turn_end', () => { if (now(150)) for (;;); });`,
  exits: `pi.on('agent_end', () => { if (now(130)) process.exit(1); });`,
  bombs: `pi.on('turn_start', () => { if (!now(170)) return; const hold: any[] = []; for (;;) hold.push(new Array(1e6).fill(seen)); });`,
  floods: `pi.on('agent_end', (_: any, ctx: any) => { if (!now(15)) return;
    for (let i = 0; i < 5000; i++) ctx.ui.notify('flood ' + i); console.log('x'.repeat(5_000_000)); });`,
  hangs: `pi.on('input', async (_: any, ctx: any) => { if (now(40)) await new Promise(() => undefined); });
    pi.on('turn_end', async (_: any, ctx: any) => { if (now(40)) await ctx.ui.input('Never?', '', { timeout: 3000 }); });`,
};

const file = (body: string): string =>
  `import { Type } from 'typebox';\n${CLOCK}\nlet seen = 0;\nexport default (pi: any) => {\n${body}\n};\n`;

export const TOOLS = GOOD.length;
export const BAD_NAMES = Object.keys(BAD);

export function soakExtensions(): Record<string, string> {
  const good = GOOD.map((body, index) => [`good-${index}.ts`, file(body + tool(index))]);
  const bad = Object.entries(BAD).map(([name, body]) => [`bad-${name}.ts`, file(body)]);
  return Object.fromEntries([...good, ...bad]);
}
