export type TodoState = 'open' | 'started' | 'done';

export interface Todo {
  id: number;
  text: string;
  state: TodoState;
}

export interface TodoAction {
  action: 'list' | 'add' | 'start' | 'done' | 'reopen' | 'remove' | 'clear';
  texts?: string[];
  ids?: number[];
}

/** The list after an action. Throws a sentence for the model when it makes no sense. */
export function changed(list: readonly Todo[], { action, texts = [], ids = [] }: TodoAction): Todo[] {
  if (action === 'list') return [...list];
  if (action === 'clear') return [];
  if (action === 'add') {
    if (texts.length === 0) throw new Error('"texts" is missing: what is to be added?');
    const next = Math.max(0, ...list.map(({ id }) => id)) + 1;
    return [...list, ...texts.map((text, at): Todo => ({ id: next + at, text: text.trim(), state: 'open' }))];
  }
  if (ids.length === 0) throw new Error(`"ids" is missing: what is to be ${action}?`);
  const unknown = ids.filter((id) => !list.some((one) => one.id === id));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}. The list:\n${asText(list)}`);
  if (action === 'remove') return list.filter(({ id }) => !ids.includes(id));
  const states = { start: 'started', done: 'done', reopen: 'open' } as const;
  return list.map((one) => (ids.includes(one.id) ? { ...one, state: states[action] } : one));
}

const MARKS = { open: '[ ]', started: '[~]', done: '[x]' } as const;

export const asText = (list: readonly Todo[]): string =>
  list.map(({ id, text, state }) => `${MARKS[state]} ${id}. ${text}`).join('\n') || 'Nothing is to be done.';

export const progress = (list: readonly Todo[]): string | undefined =>
  list.length === 0 ? undefined : `${list.filter(({ state }) => state === 'done').length}/${list.length} done`;
