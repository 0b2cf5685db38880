import type { TreeNode } from '../../../protocol/commands/session.js';
import type { Model } from '../../../protocol/model.js';
import { storedText } from '../../../session/stored-message.js';
import { defaultTheme } from '../theme.js';
import { getSelectListTheme } from './component-themes.js';
import { DynamicBorder, fitted } from './frame-components.js';
import type { SessionInfo } from './session-listing.js';
import { Container, fuzzyFilter, Input, Key, matchesKey, type SelectItem, SelectList, Spacer, Text } from './tui.js';

const VISIBLE = 10;

/** A list between two lines that can be narrowed by typing. */
class Selector extends Container {
  focused = true;
  readonly #search = new Input();
  readonly #onSelect: (value: string) => void;
  readonly #onCancel: () => void;
  readonly #title: string;
  readonly #canSearch: boolean;
  #items: readonly SelectItem[] = [];
  #list = new SelectList([], VISIBLE, getSelectListTheme());

  constructor(options: {
    title: string;
    items: readonly SelectItem[];
    canSearch: boolean;
    onSelect: (value: string) => void;
    onCancel: () => void;
  }) {
    super();
    this.#title = options.title;
    this.#canSearch = options.canSearch;
    this.#onSelect = options.onSelect;
    this.#onCancel = options.onCancel;
    this.setItems(options.items);
  }

  setItems(items: readonly SelectItem[], selected?: string): void {
    this.#items = items;
    this.#show(selected);
  }

  setSearch(text: string): void {
    this.#search.setValue(text);
    this.#show();
  }

  handleInput(data: string): void {
    const isForList = [Key.up, Key.down, Key.enter, Key.escape, Key.ctrl('c')].some((key) => matchesKey(data, key));
    if (isForList || !this.#canSearch) {
      this.#list.handleInput(data);
      return;
    }
    this.#search.handleInput(data);
    this.#show();
  }

  override render(width: number): string[] {
    // The list's word for "nothing" has a width of its own.
    return super.render(width).map((line) => fitted(line, width));
  }

  #show(selected?: string): void {
    const words = this.#search.getValue();
    const items = words === '' ? [...this.#items] : fuzzyFilter([...this.#items], words, ({ label }) => label);
    this.#list = new SelectList(items, Math.min(VISIBLE, Math.max(1, items.length)), getSelectListTheme());
    this.#list.onSelect = (item) => this.#onSelect(item.value);
    this.#list.onCancel = () => this.#onCancel();
    const at = items.findIndex(({ value }) => value === selected);
    if (at > 0) this.#list.setSelectedIndex(at);
    this.clear();
    this.addChild(new DynamicBorder());
    this.addChild(new Text(defaultTheme().fg('accent', defaultTheme().bold(this.#title)), 1, 0));
    if (this.#canSearch) this.addChild(this.#search);
    this.addChild(this.#list);
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder());
  }
}

/** One of several texts. */
export class ExtensionSelectorComponent extends Selector {
  constructor(
    title: string,
    options: readonly string[],
    onSelect: (option: string) => void,
    onCancel: () => void,
    _options: object = {},
  ) {
    const items = options.map((label) => ({ value: label, label }));
    super({ title, items, canSearch: false, onSelect, onCancel });
  }

  dispose(): void {}
}

type LoadSessions = (onProgress?: (loaded: number, total: number) => void) => Promise<SessionInfo[]>;

/** A session of this project. The loader is asked when the component is made. */
export class SessionSelectorComponent extends Selector {
  constructor(
    currentSessionsLoader: LoadSessions,
    _allSessionsLoader: LoadSessions,
    onSelect: (path: string) => void,
    onCancel: () => void,
    _onExit?: () => void,
    requestRender: () => void = () => undefined,
    _options: object = {},
    currentSessionFilePath?: string,
  ) {
    super({ title: 'Sessions', items: [], canSearch: true, onSelect, onCancel });
    currentSessionsLoader().then(
      (sessions) => {
        this.setItems(sessions.map(sessionItem), currentSessionFilePath);
        requestRender();
      },
      (error: unknown) => console.error(`Sessions could not be listed: ${String(error)}`),
    );
  }
}

function sessionItem({ path, name, firstMessage, messageCount, modified }: SessionInfo): SelectItem {
  const label = (name ?? firstMessage).replace(/\s+/g, ' ').slice(0, 100);
  return {
    value: path,
    label,
    description: `${messageCount} messages, ${modified.toISOString().slice(0, 16).replace('T', ' ')}`,
  };
}

interface SelectableModels {
  getAvailable?(): readonly Model[] | Promise<readonly Model[]>;
  getAvailableSnapshot?(): readonly Model[];
}

/** A model that can be used. */
export class ModelSelectorComponent extends Selector {
  constructor(
    tui: { requestRender(): void },
    currentModel: Model | undefined,
    _settingsManager: unknown,
    models: SelectableModels,
    scopedModels: readonly { model: Model }[],
    onSelect: (model: Model) => void,
    onCancel: () => void,
    initialSearch?: string,
  ) {
    const known = new Map<string, Model>();
    super({
      title: 'Models',
      items: [],
      canSearch: true,
      onSelect: (value) => {
        const model = known.get(value);
        if (model) onSelect(model);
      },
      onCancel,
    });
    const show = (list: readonly Model[]): void => {
      for (const model of list) known.set(nameOf(model), model);
      const items = list.map((model) => ({ value: nameOf(model), label: nameOf(model), description: model.name }));
      this.setItems(items, currentModel && nameOf(currentModel));
      if (initialSearch) this.setSearch(initialSearch);
      tui.requestRender();
    };
    const listed = scopedModels.length > 0 ? scopedModels.map(({ model }) => model) : models.getAvailable?.();
    if (listed instanceof Promise)
      listed.then(show, (error: unknown) => console.error(`Models could not be listed: ${String(error)}`));
    else show(listed ?? models.getAvailableSnapshot?.() ?? []);
  }

  dispose(): void {}
}

const nameOf = (model: Model): string => `${model.provider}/${model.id}`;

/** An entry of a session's tree. */
export class TreeSelectorComponent extends Selector {
  constructor(
    tree: readonly TreeNode[],
    currentLeafId: string | null,
    _terminalHeight: number,
    onSelect: (entryId: string) => void,
    onCancel: () => void,
    _onLabelChange?: (entryId: string, label: string | undefined) => void,
    initialSelectedId?: string,
    _initialFilterMode?: string,
  ) {
    super({ title: 'Session tree', items: [], canSearch: true, onSelect, onCancel });
    this.setItems(treeItems(tree), initialSelectedId ?? currentLeafId ?? undefined);
  }
}

/** Without recursion: a long session is a deep tree. */
function treeItems(roots: readonly TreeNode[]): SelectItem[] {
  const items: SelectItem[] = [];
  const stack = roots.toReversed().map((node) => ({ node, depth: 0 }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth } = next;
    const text = storedText(node.entry).replace(/\s+/g, ' ').slice(0, 80) || node.entry.type;
    items.push({
      value: node.entry.id,
      label: `${'  '.repeat(Math.min(depth, 8))}${text}`,
      ...(node.label === undefined ? {} : { description: node.label }),
    });
    const deeper = depth + (node.children.length > 1 ? 1 : 0);
    for (const child of node.children.toReversed()) stack.push({ node: child, depth: deeper });
  }
  return items;
}
