// One conversation, and all the tabs that look at it.
import { fileURLToPath } from 'node:url';
import { RpcClient } from '../../../dist/client.js';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const COMMAND = process.env.PI_COMMAND ? process.env.PI_COMMAND.split(' ') : [process.execPath, CLI];
/** A tab that reads nothing is let go: it comes back and gets everything anew. */
const MAX_UNREAD = 16 * 1024 * 1024;
const RESTART_MS = [200, 1_000, 5_000];
/** After these the conversation is another, or elsewhere in its tree. */
const MOVES = new Set(['new_session', 'switch_session', 'fork', 'clone', 'navigate_tree', 'reload']);

/** Starts pi, tells every tab what it says, and takes the first answer to each dialog. */
export class Hub {
  #piArgs;
  #client;
  #tabs = new Set();
  /** Dialogs that wait: id -> the request, and how to settle it. */
  #dialogs = new Map();
  #statuses = new Map();
  #widgets = new Map();
  #title = '';
  #queue = { steering: [], followUp: [] };
  /** Events of the message that is being written: a tab that comes in the middle gets them. */
  #live = [];
  #restarts = 0;
  #closed = false;

  constructor(piArgs) {
    this.#piArgs = piArgs;
  }

  async start() {
    const ask = (request, signal) => this.#ask(request, signal);
    this.#client = await RpcClient.start({
      command: COMMAND,
      args: this.#piArgs,
      dialogs: { select: ask, confirm: ask, input: ask, editor: ask },
      onEvent: (event) => this.#heard(event),
      onNotice: (notice) => this.#notice(notice),
      onExit: (error) => this.#died(error),
    });
  }

  async close() {
    this.#closed = true;
    await this.#client?.stop();
  }

  /** A tab: everything there is, then everything that comes. */
  async join(response) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    const early = [];
    const tab = { send: (record) => early.push(record) };
    this.#tabs.add(tab);
    response.once('close', () => this.#tabs.delete(tab));
    response.write(`${JSON.stringify(await this.#snapshot())}\n`);
    tab.send = (record) => {
      if (response.writableLength > MAX_UNREAD) response.destroy();
      else response.write(`${JSON.stringify(record)}\n`);
    };
    // What was said while the snapshot was made is in it, or is said again: the page knows messages by their place.
    for (const record of early) if (record.kind !== 'event') tab.send(record);
  }

  /** Any command of the protocol. */
  async command({ type, ...params }) {
    const name = String(type).replace(/_(\w)/g, (_all, letter) => letter.toUpperCase());
    const method = Object.hasOwn(this.#client.commands, name) ? this.#client.commands[name] : undefined;
    if (!method) return { success: false, error: `There is no command ${type}` };
    try {
      const data = await method(params);
      if (MOVES.has(type)) this.#tell(await this.#snapshot());
      else if (/^(?:set_|cycle_)/.test(type)) this.#tell({ kind: 'state', ...(await this.#state()) });
      return { success: true, data };
    } catch (error) {
      return { success: false, error: error.message, code: error.code };
    }
  }

  /** The first answer to a dialog counts; the other tabs are told that it is over. */
  answer({ id, value }) {
    const dialog = this.#dialogs.get(id);
    if (!dialog) return { accepted: false };
    dialog.settle(value ?? undefined);
    return { accepted: true };
  }

  #ask(request, signal) {
    return new Promise((resolve) => {
      const settle = (value) => {
        if (!this.#dialogs.delete(request.id)) return;
        this.#tell({ kind: 'dialog_closed', id: request.id });
        resolve(value);
      };
      this.#dialogs.set(request.id, { request, settle });
      signal.addEventListener('abort', () => settle(undefined), { once: true });
      this.#tell({ kind: 'dialog', request });
    });
  }

  #notice(notice) {
    const { method, statusKey, statusText, widgetKey, title } = notice;
    if (method === 'setStatus') setOrDelete(this.#statuses, statusKey, statusText);
    if (method === 'setWidget') setOrDelete(this.#widgets, widgetKey, notice.widgetLines && notice);
    if (method === 'setTitle') this.#title = title;
    this.#tell({ kind: 'notice', notice });
  }

  #heard(event) {
    if (event.type === 'message_start') this.#live = [event];
    else if (event.type === 'message_update') this.#live.push(event);
    else if (event.type === 'message_end') this.#live = [];
    else if (event.type === 'queue_update') this.#queue = { steering: event.steering, followUp: event.followUp };
    this.#tell({ kind: 'event', event });
    if (event.type === 'agent_settled') {
      this.#restarts = 0;
      this.#state().then(
        (state) => this.#tell({ kind: 'state', ...state }),
        () => undefined,
      );
    }
  }

  /** pi is gone: say so, start it again with the same session, and show what was stored. */
  async #died(error) {
    for (const { settle } of [...this.#dialogs.values()]) settle(undefined);
    this.#live = [];
    this.#statuses.clear();
    this.#widgets.clear();
    this.#tell({ kind: 'offline', error: error.message });
    while (!this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS[Math.min(this.#restarts, RESTART_MS.length - 1)]));
      this.#restarts += 1;
      try {
        await this.#client.resume();
        this.#tell(await this.#snapshot());
        return;
      } catch (again) {
        this.#tell({ kind: 'offline', error: again.message });
      }
    }
  }

  async #state() {
    const { commands } = this.#client;
    const [state, stats] = await Promise.all([commands.getState(), commands.getSessionStats()]);
    return { state, stats };
  }

  async #snapshot() {
    const { commands } = this.#client;
    if (!this.#client.isRunning) return { kind: 'offline', error: 'pi is not running' };
    const [{ messages }, { commands: slash }, { models }, { levels }, state] = await Promise.all([
      commands.getMessages(),
      commands.getCommands(),
      commands.getAvailableModels(),
      commands.getAvailableThinkingLevels(),
      this.#state(),
    ]);
    return {
      kind: 'snapshot',
      ...state,
      messages,
      live: this.#live,
      slash,
      models,
      levels,
      queue: this.#queue,
      title: this.#title,
      statuses: [...this.#statuses],
      widgets: [...this.#widgets.values()],
      dialogs: [...this.#dialogs.values()].map(({ request }) => request),
    };
  }

  #tell(record) {
    for (const tab of this.#tabs) tab.send(record);
  }
}

function setOrDelete(map, key, value) {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
