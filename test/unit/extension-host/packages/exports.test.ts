import { describe, expect, test } from 'vitest';
import { isCoded } from '../../../../core/base/coded-error.js';
import { PACKAGE_ERRORS } from '../../../../core/extension-host/packages/errors.js';
import { unsupportedReason } from '../../../../core/extension-host/packages/unsupported.js';
import { EXPORT_NAMES, HOST_PACKAGES } from './host-packages.js';

/** Names that two or more of the counted repositories import as values. Source: EXTENSION-USAGE, section 5. */
const USED: Readonly<Record<string, string>> = {
  'pi-tui':
    'truncateToWidth Text visibleWidth matchesKey Container Key wrapTextWithAnsi Spacer SelectList Input Markdown Editor sliceByColumn fuzzyFilter Loader Box getKeybindings hyperlink CURSOR_MARKER fuzzyMatch Image CancellableLoader stripTerminalSequences getCapabilities decodeKittyPrintable isKeyRelease SettingsList parseKey TruncatedText ScrollView VStack isViewportTUI getEditorKeybindings',
  'pi-ai':
    'StringEnum complete getSupportedThinkingLevels calculateCost createAssistantMessageEventStream completeSimple clampThinkingLevel getModel isContextOverflow isRetryableAssistantError hasApi streamSimpleOpenAICompletions Type validateToolArguments parseJsonWithRepair cleanupSessionResources uuidv7 contentText registerApiProvider openAIResponsesApi anthropicMessagesApi',
  'pi-ai/compat':
    'complete completeSimple StringEnum streamSimple getModel clampThinkingLevel createAssistantMessageEventStream getModels getProviders getApiProvider',
  'pi-agent-core': 'Agent',
  typebox: 'Type Decode',
  'typebox/value': 'Value Parse Check',
  'typebox/compile': 'Compile',
};

describe.each(Object.entries(HOST_PACKAGES))('%s', (name, load) => {
  test('has every export name of the existing package, and an import of it never fails', async () => {
    const exported = Object.keys(await load());
    expect((EXPORT_NAMES[name] ?? []).filter((wanted) => !exported.includes(wanted))).toEqual([]);
  });

  test('what extensions use works: none of it is a name that only throws', async () => {
    const module = await load();
    for (const used of (USED[name] ?? '').split(' ').filter(Boolean)) {
      expect(module[used], used).toBeDefined();
      expect(unsupportedReason(module[used]), used).toBeUndefined();
    }
  });

  test('what is not supported says so when it is used, and names the way out', async () => {
    for (const [exported, value] of Object.entries(await load())) {
      const reason = unsupportedReason(value);
      if (reason === undefined) continue;
      const error = use(value);
      expect(isCoded(error, PACKAGE_ERRORS.UNSUPPORTED), exported).toBe(true);
      expect(String(error)).toContain(exported);
      expect(String(error)).toContain(reason);
    }
  });
});

test('pi-ai and pi-ai/compat are the same functions, so that state set through one is seen through the other', async () => {
  const [root, compat] = await Promise.all([HOST_PACKAGES['pi-ai']?.(), HOST_PACKAGES['pi-ai/compat']?.()]);
  expect(compat).toEqual(root);
});

test('a class that is not supported can be extended, and throws when the new class is constructed', async () => {
  const { TuiAltScreen } = await import('../../../../core/extension-host/packages/pi-tui.js');
  class Own extends TuiAltScreen {}
  expect(() => new Own()).toThrow('TuiAltScreen of pi-tui is not available here');
});

/** Calls, constructs or reads; gives what was thrown. */
function use(value: unknown): unknown {
  try {
    if (typeof value === 'object') Reflect.get(value ?? {}, 'member');
    else if (/^class/.test(Function.prototype.toString.call(value))) new (value as new () => unknown)();
    else (value as () => unknown)();
  } catch (error) {
    return error;
  }
  return undefined;
}
