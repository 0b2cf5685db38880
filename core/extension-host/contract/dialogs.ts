import { method, note } from './method.js';
import { json, jsonObject, text, tuple } from './shape.js';

/** What a worker may ask people through the core. First argument: the extension. */
export const coreDialogs = {
  /** A question as it goes to the client, without its id. Its answer, or null for none; an abort withdraws it. */
  'ui.dialog': method({ args: tuple(text(), jsonObject), result: json }),
  /** Something to show, which nobody answers. */
  'ui.notice': note(tuple(text(), jsonObject)),
  /** A member that does nothing here was used: said once on stderr. */
  'ui.degraded': note(tuple(text(), text(200))),
};
