/**
 * What a handler's answer does to the event and to the outcome. `true`: this was the last word. An answer of the wrong form throws: it is
 * reported as the handler's failure. Source: extensions document, "Events"; transcripts of several extensions on one hook.
 */
export type HookReducer = (event: Fields, outcome: Fields, answer: unknown) => boolean;
type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of the answer that are there replace those of the event. */
const patch =
  (...members: string[]): HookReducer =>
  (event, _outcome, answer) => {
    if (!isObject(answer)) return false;
    for (const member of members) if (answer[member] !== undefined) event[member] = answer[member];
    return false;
  };

/** `{cancel: true}` ends it; any other member given is kept, the last one counts. */
const cancelOr =
  (...members: string[]): HookReducer =>
  (_event, outcome, answer) => {
    if (!isObject(answer)) return false;
    if (answer.cancel === true) {
      outcome.cancel = true;
      return true;
    }
    for (const member of members) if (answer[member] !== undefined) outcome[member] = answer[member];
    return false;
  };

const collect =
  (...members: string[]): HookReducer =>
  (_event, outcome, answer) => {
    if (!isObject(answer)) return false;
    for (const member of members) {
      const more = answer[member];
      if (more === undefined) continue;
      if (!Array.isArray(more)) throw new TypeError(`${member} must be a list`);
      outcome[member] = [...(Array.isArray(outcome[member]) ? (outcome[member] as unknown[]) : []), ...more];
    }
    return false;
  };

export const REDUCERS: Readonly<Record<string, HookReducer>> = {
  project_trust: (_event, outcome, answer) => {
    if (!isObject(answer) || (answer.trusted !== 'yes' && answer.trusted !== 'no')) return false;
    Object.assign(outcome, { trusted: answer.trusted, ...(answer.remember === true && { remember: true }) });
    return true;
  },
  resources_discover: collect('skillPaths', 'promptPaths', 'themePaths'),
  session_before_switch: cancelOr(),
  session_before_fork: cancelOr('skipConversationRestore'),
  session_before_compact: cancelOr('compaction'),
  session_before_tree: cancelOr('summary', 'customInstructions', 'replaceInstructions', 'label'),
  input: (event, outcome, answer) => {
    if (!isObject(answer)) return false;
    if (answer.action === 'handled') {
      outcome.handled = true;
      return true;
    }
    if (answer.action !== 'transform') return false;
    if (typeof answer.text === 'string') event.text = answer.text;
    if (answer.images !== undefined) event.images = answer.images;
    return false;
  },
  before_agent_start: (event, outcome, answer) => {
    if (!isObject(answer)) return false;
    if (isObject(answer.message))
      outcome.messages = [...(Array.isArray(outcome.messages) ? outcome.messages : []), answer.message];
    if (typeof answer.systemPrompt === 'string') event.systemPrompt = answer.systemPrompt;
    return false;
  },
  context: patch('messages'),
  before_provider_headers: () => false,
  before_provider_request: (event, _outcome, answer) => {
    if (answer !== undefined) event.payload = answer;
    return false;
  },
  message_end: (event, _outcome, answer) => {
    if (!isObject(answer) || answer.message === undefined) return false;
    const { message } = answer;
    const role = isObject(event.message) ? event.message.role : undefined;
    if (!isObject(message) || message.role !== role) throw new TypeError(`message_end must keep the role "${String(role)}"`);
    event.message = message;
    return false;
  },
  tool_call: (_event, outcome, answer) => {
    if (!isObject(answer) || answer.block !== true) return false;
    outcome.block = true;
    if (typeof answer.reason === 'string') outcome.reason = answer.reason;
    return true;
  },
  tool_result: patch('content', 'details', 'isError', 'usage'),
  user_bash: (_event, outcome, answer) => {
    if (!isObject(answer)) return false;
    if (answer.result === undefined && answer.operations === undefined) return false;
    if (answer.result !== undefined) outcome.result = answer.result;
    if (answer.operations !== undefined) outcome.operations = answer.operations;
    return true;
  },
};
