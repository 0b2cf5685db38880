import type { ExtensionAPI, ExtensionContext, SessionEntry } from '../../core/extension-host/contract/public.js';

const KIND = 'plan-mode';
/** Tools that change nothing. */
const READ_ONLY: ReadonlySet<string> = new Set(['read', 'grep', 'find', 'ls', 'todo']);
const PROMPT = `

You are in plan mode: look, and change nothing. Only tools that read are there. Find out what is needed, then answer with a plan: numbered
steps, each with the files it touches and how you will know that it worked. Do not ask whether to begin: the user is asked.`;
const CHOICES = ['Carry it out', 'Refine it', 'Stay in plan mode'] as const;

interface State {
  on: boolean;
  /** What was offered before; taken back when the plan is carried out. */
  tools?: string[];
}

/** Read-only until a plan is approved. */
export default function planMode(pi: ExtensionAPI): void {
  let state: State = { on: false };

  const show = ({ ui }: ExtensionContext): void => ui.setStatus(KIND, state.on ? 'plan mode' : undefined);
  const apply = (): void => {
    if (state.on)
      pi.setActiveTools(
        pi
          .getAllTools()
          .map(({ name }) => name)
          .filter((name) => READ_ONLY.has(name)),
      );
    else if (state.tools) pi.setActiveTools(state.tools);
  };
  const turn = (on: boolean, ctx: ExtensionContext): void => {
    if (on === state.on) return;
    state = { on, tools: on ? pi.getActiveTools() : (state.tools ?? pi.getActiveTools()) };
    apply();
    pi.appendEntry(KIND, state);
    show(ctx);
  };

  pi.registerFlag('plan', { type: 'boolean', description: 'Begin in plan mode: read only, until a plan is approved' });
  const toggle = async (args: string, ctx: ExtensionContext): Promise<void> => {
    const word = args.trim();
    turn(word === '' ? !state.on : word !== 'off', ctx);
    ctx.ui.notify(state.on ? 'Plan mode: nothing is changed until you approve a plan' : 'Plan mode is off');
  };
  pi.registerCommand('plan', { description: 'Turns plan mode on or off: /plan [on|off]', handler: toggle });
  pi.registerShortcut('ctrl+alt+p', { description: 'Plan mode on or off', handler: (ctx: ExtensionContext) => toggle('', ctx) });

  pi.on('session_start', ({ reason }, ctx) => {
    state = stateIn(ctx.sessionManager.getBranch()) ?? { on: false };
    if (reason === 'startup' && pi.getFlag('plan') === true) turn(true, ctx);
    else if (state.on) apply();
    show(ctx);
  });
  pi.on('session_tree', (_event, ctx) => {
    const before = state;
    state = stateIn(ctx.sessionManager.getBranch()) ?? { on: false, ...(before.tools && { tools: before.tools }) };
    if (state.on !== before.on) apply();
    show(ctx);
  });
  pi.on('before_agent_start', ({ systemPrompt }) => (state.on ? { systemPrompt: systemPrompt + PROMPT } : undefined));
  // Tools are offered by others too, and at any time: what counts is what is called.
  pi.on('tool_call', ({ toolName }) =>
    state.on && !READ_ONLY.has(toolName)
      ? { block: true, reason: `Plan mode: ${toolName} could change something. Answer with a plan instead.` }
      : undefined,
  );
  pi.on('agent_settled', async (_event, ctx) => {
    if (!state.on || !ctx.hasUI || !endedWithAnswer(ctx.sessionManager.getBranch())) return;
    const choice = await ctx.ui.select('The plan is ready. What now?', [...CHOICES]);
    if (choice === CHOICES[0]) {
      turn(false, ctx);
      pi.sendUserMessage('Carry out the plan.', ctx.isIdle() ? undefined : { deliverAs: 'followUp' });
    }
    if (choice !== CHOICES[1]) return;
    const wish = await ctx.ui.editor('What should be different?');
    if (wish?.trim()) pi.sendUserMessage(wish, ctx.isIdle() ? undefined : { deliverAs: 'followUp' });
  });
}

function stateIn(branch: readonly SessionEntry[]): State | undefined {
  const last = branch.findLast((entry) => entry.type === 'custom' && entry.customType === KIND);
  return last?.type === 'custom' ? (last.data as State) : undefined;
}

/** An aborted or failed answer is no plan. */
function endedWithAnswer(branch: readonly SessionEntry[]): boolean {
  const last = branch.findLast((entry) => entry.type === 'message');
  const { role, stopReason } = (last?.message ?? {}) as { role?: string; stopReason?: string };
  return role === 'assistant' && stopReason === 'stop';
}
