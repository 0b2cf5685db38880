import { Type } from 'typebox';
import type { ExtensionAPI, ExtensionContext, SessionEntry } from '../../core/extension-host/contract/public.js';
import { asText, changed, progress, type Todo, type TodoAction } from './todo-list.js';

const TOOL = 'todo';
const ACTIONS = ['list', 'add', 'start', 'done', 'reopen', 'remove', 'clear'] as const;

/** A list of what is to be done. It lives in the session: each branch has its own. */
export default function todo(pi: ExtensionAPI): void {
  let list: Todo[] = [];
  const show = ({ ui }: ExtensionContext): void => {
    ui.setStatus(TOOL, progress(list));
    ui.setWidget(TOOL, list.length === 0 ? undefined : asText(list).split('\n'));
  };
  const restore = (_event: unknown, ctx: ExtensionContext): void => {
    list = listIn(ctx.sessionManager.getBranch());
    show(ctx);
  };
  pi.on('session_start', restore);
  pi.on('session_tree', restore);

  pi.registerTool({
    name: TOOL,
    label: 'To do',
    description: 'Keeps the list of what is to be done: add, start, finish and remove points, several at once',
    parameters: Type.Object({
      action: Type.Union(ACTIONS.map((action) => Type.Literal(action))),
      texts: Type.Optional(Type.Array(Type.String(), { description: 'For add: what is to be done, a text each' })),
      ids: Type.Optional(Type.Array(Type.Integer(), { description: 'For start, done, reopen and remove: numbers of the list' })),
    }),
    promptSnippet: 'Keep a list of what is to be done',
    promptGuidelines: [
      'Use todo for work of three steps or more: add the steps, start each before you begin it, and mark it done right after',
    ],
    // The calls of one answer are about one list.
    executionMode: 'sequential',
    execute: async (_toolCallId, action: TodoAction, _signal, _onUpdate, ctx) => {
      list = changed(list, action);
      show(ctx);
      return { content: [{ type: 'text', text: asText(list) }], details: { todos: list } };
    },
    renderResult: (result: { details?: { todos?: Todo[] } }) => ({
      render: () => asText(result.details?.todos ?? []).split('\n'),
    }),
  });
  pi.registerCommand('todos', {
    description: 'Shows what is to be done',
    handler: async (_args, ctx) => ctx.ui.notify(asText(list)),
  });
}

/** As the last call on this branch left it. */
function listIn(branch: readonly SessionEntry[]): Todo[] {
  for (const entry of branch.toReversed()) {
    if (entry.type !== 'message') continue;
    const { role, toolName, details, isError } = entry.message as {
      role: string;
      toolName?: string;
      details?: unknown;
      isError?: boolean;
    };
    const { todos } = (details ?? {}) as { todos?: Todo[] };
    if (role === 'toolResult' && toolName === TOOL && !isError && Array.isArray(todos)) return todos;
  }
  return [];
}
