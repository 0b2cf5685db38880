// What extensions show: notices in the conversation, status and widgets around the editor, the title of the window.
import { Container, Text } from '@mariozechner/pi-tui';
import { cyan, dim, red, yellow } from './theme.mjs';

const LEVELS = { info: cyan, warning: yellow, error: red };

export class Notices {
  above = new Container();
  below = new Container();
  #statuses = new Map();
  #widgets = new Map();
  #status = new Text('', 0, 0);
  #say;
  #setText;
  #setTitle;

  constructor({ say, setText, setTitle }) {
    this.#say = say;
    this.#setText = setText;
    this.#setTitle = setTitle;
    this.#draw();
  }

  show(notice) {
    switch (notice.method) {
      case 'notify':
        return this.#say((LEVELS[notice.notifyType] ?? cyan)(`! ${notice.message}`));
      case 'setStatus':
        setOrDelete(this.#statuses, notice.statusKey, notice.statusText);
        return this.#draw();
      case 'setWidget':
        setOrDelete(this.#widgets, notice.widgetKey, notice.widgetLines && notice);
        return this.#draw();
      case 'setTitle':
        return this.#setTitle(notice.title);
      case 'set_editor_text':
        return this.#setText(notice.text);
    }
  }

  /** Those who showed it are gone. */
  clear() {
    this.#statuses.clear();
    this.#widgets.clear();
    this.#draw();
  }

  #draw() {
    this.above.clear();
    this.below.clear();
    for (const { widgetLines, widgetPlacement } of this.#widgets.values()) {
      (widgetPlacement === 'belowEditor' ? this.below : this.above).addChild(new Text(widgetLines.join('\n'), 1, 0));
    }
    this.#status.setText(dim([...this.#statuses.values()].join(' · ')));
    this.below.addChild(this.#status);
  }
}

function setOrDelete(map, key, value) {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
