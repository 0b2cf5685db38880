// What extensions ask, above the conversation: one after the other.
import { Container, Editor, Input, matchesKey, SelectList, Text } from '@mariozechner/pi-tui';
import { bold, dim, editorTheme, selectTheme } from './theme.mjs';

const MAX_VISIBLE = 10;

/** A title, something that takes keys, and a hint. Keys go to the middle. */
class Dialog extends Container {
  #field;
  #onEscape;

  constructor({ title, message, extension }, field, hint, onEscape) {
    super();
    this.#field = field;
    this.#onEscape = onEscape;
    this.addChild(new Text(bold(title), 1, 0));
    if (message) this.addChild(new Text(message, 1, 0));
    this.addChild(field);
    this.addChild(new Text(dim(`${hint} · Esc: dismiss${extension ? ` · asked by ${extension.name}` : ''}`), 1, 0));
  }

  set focused(is) {
    this.#field.focused = is;
  }

  get focused() {
    return this.#field.focused;
  }

  handleInput(data) {
    if (matchesKey(data, 'escape')) this.#onEscape();
    else this.#field.handleInput(data);
  }
}

export class Dialogs {
  #tui;
  #last = Promise.resolve();

  constructor(tui) {
    this.#tui = tui;
  }

  /** For RpcClient: each dialog waits until the one before is settled. */
  handlers() {
    const inTurn = (show) => (request, signal) => {
      const turn = this.#last.then(() => (signal.aborted ? undefined : this.#ask(request, signal, show)));
      this.#last = turn.catch(() => undefined);
      return turn;
    };
    return {
      select: inTurn((request, done) => {
        const items = request.options.map((option) => ({ value: option, label: option }));
        const list = new SelectList(items, MAX_VISIBLE, selectTheme);
        list.onSelect = ({ value }) => done(value);
        return [list, '↑ ↓ and Enter'];
      }),
      confirm: inTurn((_request, done) => {
        const items = ['Yes', 'No'].map((word) => ({ value: word, label: word }));
        const list = new SelectList(items, MAX_VISIBLE, selectTheme);
        list.onSelect = ({ value }) => done(value === 'Yes');
        return [list, '↑ ↓ and Enter'];
      }),
      input: inTurn(({ placeholder }, done) => {
        const input = new Input();
        input.onSubmit = done;
        return [input, placeholder ? `Enter: done · ${placeholder}` : 'Enter: done'];
      }),
      editor: inTurn(({ prefill }, done) => {
        const editor = new Editor(this.#tui, editorTheme);
        editor.setText(prefill ?? '');
        editor.onSubmit = done;
        return [editor, 'Enter: done · Alt+Enter: new line'];
      }),
    };
  }

  #ask(request, signal, show) {
    return new Promise((resolve) => {
      let overlay;
      const done = (value) => {
        overlay.hide();
        signal.removeEventListener('abort', dismiss);
        this.#tui.requestRender();
        resolve(value);
      };
      const dismiss = () => done(undefined);
      const [field, hint] = show(request, done);
      overlay = this.#tui.showOverlay(new Dialog(request, field, hint, dismiss), { width: '80%', minWidth: 30, margin: 1 });
      signal.addEventListener('abort', dismiss, { once: true });
      this.#tui.requestRender();
    });
  }
}
