import { method, note } from './method.js';
import { flag, json, jsonObject, list, nullable, text, tuple } from './shape.js';

const extension = text();
const done = flag;

/**
 * What extensions do to the session and the agent, each asked while the worker's thread waits (contract of `sync` frames): the next line of
 * the extension sees its effect, and what can't be done throws there. The core answers each at once. First argument: the extension.
 */
export const coreActions = {
  /** Type, data. Gives the entry's id. */
  'session.append_entry': method({ args: tuple(extension, text(200), json), result: text() }),
  /** Any entry without id, parent and time. Gives the entry's id. */
  'session.append': method({ args: tuple(extension, jsonObject), result: text() }),
  'session.set_label': method({ args: tuple(extension, text(), nullable(text())), result: done }),
  'session.set_name': method({ args: tuple(extension, text()), result: done }),
  /** A custom message and when to deliver it. */
  'session.send_message': method({ args: tuple(extension, jsonObject, jsonObject), result: done }),
  'session.send_user_message': method({ args: tuple(extension, json, jsonObject), result: done }),
  'agent.set_thinking_level': method({ args: tuple(extension, text(50)), result: done }),
  'agent.set_tools': method({ args: tuple(extension, list(text(64))), result: done }),
  'agent.abort': method({ args: tuple(extension), result: done }),
  'agent.shutdown': method({ args: tuple(extension), result: done }),
};

const Moved = jsonObject;

/** What extensions ask and wait for without holding their thread. First argument: the extension. */
export const coreRequests = {
  /** Provider, id. False without credentials. */
  'agent.set_model': method({ args: tuple(extension, text(), text()), result: flag }),
  'agent.compact': method({ args: tuple(extension, nullable(text())), result: jsonObject }),
  'agent.wait_for_idle': method({ args: tuple(extension), result: done }),
  'session.new': method({ args: tuple(extension, jsonObject), result: Moved }),
  'session.fork': method({ args: tuple(extension, text(), jsonObject), result: Moved }),
  'session.switch': method({ args: tuple(extension, text()), result: Moved }),
  'session.navigate': method({ args: tuple(extension, text(), jsonObject), result: Moved }),
  'session.reload': method({ args: tuple(extension), result: done }),
  /** Provider, model id or null. `{ok, apiKey?, headers?, error?}`. */
  'models.auth': method({ args: tuple(extension, text(), nullable(text())), result: jsonObject }),
  /** `{model, context, options}`; the steps of the answer as progress, and the answer itself. */
  'models.stream': method({ args: tuple(extension, jsonObject), result: jsonObject, progress: jsonObject }),
  'models.refresh': method({ args: tuple(extension), result: done }),
};

export const coreEnvironment = {
  /** A variable was set, or removed with null: children of the core shall see it too. */
  'env.set': note(tuple(text(1_000), nullable(text()))),
};
