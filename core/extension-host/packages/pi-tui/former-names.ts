/** Names of older versions that extensions still import. */
export { getKeybindings as getEditorKeybindings, setKeybindings as setEditorKeybindings } from '@mariozechner/pi-tui';
