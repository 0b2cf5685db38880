import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { DialogOptions, ExtensionUI, ThemeApi } from '../contract/public.js';
import type { CorePort } from './core-port.js';
import type { CurrentExtension } from './current-extension.js';
import type { ExtensionInstance } from './instance.js';

/** Longest texts, in characters, as the limits say; what is longer is cut. */
const MAX_NOTICE = 64 * 1024;
const MAX_STATUS = 1024;
const MAX_WIDGET_LINES = 200;

/** `ctx.ui` of one instance. Dialogs wait in the core; the clock of the instance's handlers stands still meanwhile. */
export function createUi(
  instance: ExtensionInstance,
  core: CorePort,
  { theme, current }: { theme: () => ThemeApi; current: CurrentExtension },
): ExtensionUI {
  const { name } = instance;
  const notice = (fields: Record<string, unknown>): void => {
    instance.assertAlive(`ctx.ui.${String(fields.method)}`);
    core.notify('ui.notice', [name, fields]);
  };
  const degraded = (member: string): void => {
    instance.assertAlive(`ctx.ui.${member}`);
    core.notify('ui.degraded', [name, `ctx.ui.${member}`]);
  };
  const ask = async (fields: Record<string, unknown>, dialog: DialogOptions | undefined): Promise<unknown> => {
    instance.assertActive(`ctx.ui.${String(fields.method)}`);
    if (dialog?.signal?.aborted) return null;
    const timeout = typeof dialog?.timeout === 'number' && dialog.timeout > 0 ? { timeout: Math.floor(dialog.timeout) } : {};
    // Whoever asked the handler that asks may have given up.
    const signals = [instance.ending.signal, dialog?.signal, current.request].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any(signals);
    instance.clock.stop();
    try {
      return await core.call('ui.dialog', [name, { ...fields, ...timeout }], { signal });
    } catch (error) {
      // Withdrawn by a signal: that is an answer.
      if (signal.aborted) return null;
      throw error;
    } finally {
      instance.clock.go();
    }
  };
  const text = async (answer: Promise<unknown>): Promise<string | undefined> => {
    const value = await answer;
    return typeof value === 'string' ? value : undefined;
  };

  const ui: ExtensionUI = {
    select: (title, options, dialog) => {
      if (!Array.isArray(options)) throw wrongUse('select', 'a list of options');
      return text(ask({ method: 'select', title: String(title), options: options.map(String) }, dialog));
    },
    confirm: async (title, message, dialog) =>
      (await ask({ method: 'confirm', title: String(title), message: String(message ?? '') }, dialog)) === true,
    input: (title, placeholder, dialog) =>
      text(
        ask(
          { method: 'input', title: String(title), ...(placeholder !== undefined && { placeholder: String(placeholder) }) },
          dialog,
        ),
      ),
    editor: (title, prefill) =>
      text(
        ask({ method: 'editor', title: String(title), ...(prefill !== undefined && { prefill: String(prefill) }) }, undefined),
      ),
    notify: (message, level) =>
      notice({
        method: 'notify',
        message: cut(message, MAX_NOTICE),
        ...(level !== undefined && { notifyType: NOTICE_LEVELS.has(level) ? level : 'info' }),
      }),
    setStatus: (key, value) =>
      notice({
        method: 'setStatus',
        statusKey: String(key),
        ...(value !== undefined && value !== null && { statusText: cut(value, MAX_STATUS) }),
      }),
    setWidget: (key, content, options) => {
      // A component factory: only a terminal could use it.
      if (typeof content === 'function') return degraded('setWidget with a component');
      const lines = Array.isArray(content) ? content.slice(0, MAX_WIDGET_LINES).map((line) => cut(line, MAX_NOTICE)) : undefined;
      notice({
        method: 'setWidget',
        widgetKey: String(key),
        ...(lines && { widgetLines: lines }),
        ...(options?.placement !== undefined && { widgetPlacement: options.placement }),
      });
    },
    setTitle: (title) => notice({ method: 'setTitle', title: cut(title, MAX_STATUS) }),
    setEditorText: (value) => notice({ method: 'set_editor_text', text: cut(value, MAX_NOTICE) }),
    pasteToEditor: (value) => notice({ method: 'set_editor_text', text: cut(value, MAX_NOTICE) }),
    custom: async () => {
      degraded('custom');
      return undefined;
    },
    getEditorText: () => '',
    getEditorComponent: () => undefined,
    getToolsExpanded: () => false,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: 'Themes need a terminal: there is none in this mode' }),
    get theme() {
      return theme();
    },
    onTerminalInput: () => {
      degraded('onTerminalInput');
      return () => undefined;
    },
    setFooter: () => degraded('setFooter'),
    setHeader: () => degraded('setHeader'),
    setEditorComponent: () => degraded('setEditorComponent'),
    addAutocompleteProvider: () => degraded('addAutocompleteProvider'),
    setWorkingMessage: () => degraded('setWorkingMessage'),
    setWorkingVisible: () => degraded('setWorkingVisible'),
    setWorkingIndicator: () => degraded('setWorkingIndicator'),
    setHiddenThinkingLabel: () => degraded('setHiddenThinkingLabel'),
    setToolsExpanded: () => degraded('setToolsExpanded'),
  };
  return ui;
}

const NOTICE_LEVELS: ReadonlySet<string> = new Set(['info', 'warning', 'error']);

function cut(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

function wrongUse(member: string, wanted: string): CodedError {
  return new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `ctx.ui.${member}: expected ${wanted}`);
}
