import { getKeybindings } from '../pi-tui.js';
import { defaultTheme } from '../theme.js';

/** Keys of the program's own actions; those of components are the terminal library's. Source: keybindings document. */
const APP_KEYS: Readonly<Record<string, readonly string[]>> = {
  'app.interrupt': ['escape'],
  'app.clear': ['ctrl+c'],
  'app.exit': ['ctrl+d'],
  'app.suspend': ['ctrl+z'],
  'app.editor.external': ['ctrl+g'],
  'app.clipboard.pasteImage': ['ctrl+v'],
  'app.session.togglePath': ['ctrl+p'],
  'app.session.toggleSort': ['ctrl+s'],
  'app.session.toggleNamedFilter': ['ctrl+n'],
  'app.session.rename': ['ctrl+r'],
  'app.session.delete': ['ctrl+d'],
  'app.session.deleteNoninvasive': ['ctrl+backspace'],
  'app.model.select': ['ctrl+l'],
  'app.model.cycleForward': ['ctrl+p'],
  'app.model.cycleBackward': ['shift+ctrl+p'],
  'app.thinking.cycle': ['shift+tab'],
  'app.thinking.toggle': ['ctrl+t'],
  'app.tools.expand': ['ctrl+o'],
  'app.message.copy': ['ctrl+x'],
  'app.message.followUp': ['alt+enter'],
  'app.message.dequeue': ['alt+up'],
  'app.tree.foldOrUp': ['ctrl+left', 'alt+left'],
  'app.tree.unfoldOrDown': ['ctrl+right', 'alt+right'],
  'app.tree.editLabel': ['shift+l'],
  'app.tree.toggleLabelTimestamp': ['shift+t'],
  'app.tree.filter.default': ['ctrl+d'],
  'app.tree.filter.noTools': ['ctrl+t'],
  'app.tree.filter.userOnly': ['ctrl+u'],
  'app.tree.filter.labeledOnly': ['ctrl+l'],
  'app.tree.filter.all': ['ctrl+a'],
  'app.tree.filter.cycleForward': ['ctrl+o'],
  'app.tree.filter.cycleBackward': ['shift+ctrl+o'],
  'app.models.save': ['ctrl+s'],
  'app.models.enableAll': ['ctrl+a'],
  'app.models.clearAll': ['ctrl+x'],
  'app.models.toggleProvider': ['ctrl+p'],
  'app.models.reorderUp': ['alt+up'],
  'app.models.reorderDown': ['alt+down'],
};

/** The keys of an action, `/` between them; '' for one that has none. */
export function keyText(keybinding: string): string {
  const own = APP_KEYS[keybinding];
  // The library types the ids it knows; others have no keys.
  const keys = own ?? getKeybindings().getKeys(keybinding as Parameters<ReturnType<typeof getKeybindings>['getKeys']>[0]);
  return keys.join('/');
}

/** The keys of an action and what they do, in the colours of hints. Source: extensions document, "Keybinding Hints". */
export function keyHint(keybinding: string, description: string): string {
  return rawKeyHint(keyText(keybinding), description);
}

export function rawKeyHint(key: string, description: string): string {
  const theme = defaultTheme();
  return theme.fg('dim', key) + theme.fg('muted', ` ${description}`);
}
