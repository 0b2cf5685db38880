import names from './export-names.json' with { type: 'json' };

/** Export names of the existing packages; where they were seen is told by `provenance` in the file. */
export const EXPORT_NAMES: Readonly<Record<string, readonly string[]>> = names.names;

/** Our package for each specifier after the scope. */
export const HOST_PACKAGES: Readonly<Record<string, () => Promise<Record<string, unknown>>>> = {
  'pi-tui': () => import('../../../../core/extension-host/packages/pi-tui.js'),
  'pi-ai': () => import('../../../../core/extension-host/packages/pi-ai.js'),
  'pi-ai/compat': () => import('../../../../core/extension-host/packages/pi-ai-compat.js'),
  'pi-ai/oauth': () => import('../../../../core/extension-host/packages/pi-ai-oauth.js'),
  'pi-ai/providers/all': () => import('../../../../core/extension-host/packages/pi-ai-providers-all.js'),
  'pi-agent-core': () => import('../../../../core/extension-host/packages/pi-agent-core.js'),
  typebox: () => import('../../../../core/extension-host/packages/typebox.js'),
  'typebox/value': () => import('../../../../core/extension-host/packages/typebox-value.js'),
  'typebox/compile': () => import('../../../../core/extension-host/packages/typebox-compile.js'),
};
