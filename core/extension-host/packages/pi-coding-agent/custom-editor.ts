import { Editor, type EditorOptions, type EditorTheme, Key, matchesKey, type TUI } from './tui.js';

/** What tells keys from actions: the manager a factory is given. Only `matches` is asked for. */
interface Keybindings {
  matches?(data: string, action: string): boolean;
}

/**
 * The editor that extensions extend for one of their own: what is typed goes to the text, the program's own actions to their handlers.
 * Source: extensions document, "Custom Editor"; tui document.
 */
export class CustomEditor extends Editor {
  readonly actionHandlers = new Map<string, () => void>();
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  /** Shortcuts of extensions: true when the key was one. */
  onExtensionShortcut?: (data: string) => boolean;
  readonly #keybindings: Keybindings | undefined;

  constructor(tui: TUI, theme: EditorTheme, keybindings?: Keybindings, options?: EditorOptions) {
    super(tui, theme, options);
    this.#keybindings = keybindings;
  }

  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  override handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data)) return;
    for (const [action, handler] of this.actionHandlers) {
      if (!this.#keybindings?.matches?.(data, action)) continue;
      handler();
      return;
    }
    if (this.onEscape && matchesKey(data, Key.escape) && !this.isShowingAutocomplete()) {
      this.onEscape();
      return;
    }
    if (this.onCtrlD && matchesKey(data, Key.ctrl('d')) && this.getText() === '') {
      this.onCtrlD();
      return;
    }
    super.handleInput(data);
  }
}
