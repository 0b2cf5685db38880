import { optionNames } from '../modes/cli/option-table.js';
import type { ExtensionService, RpcServices } from '../modes/rpc/services.js';
import type { App } from './compose.js';

/** What the commands of the protocol work on, of a program that is put together. */
export function rpcServices(app: App, version: string): RpcServices {
  const { agent, models, source, session, autoCompaction } = app;
  return {
    agent,
    models,
    source,
    session,
    autoCompaction,
    diagnostics: () => app.diagnostics(),
    slashCommands: async () => [...app.extensions.lists.slashCommands(), ...(await app.slash.slashCommands())],
    prompting: app.prompting,
    extensions: extensionService(app),
    remember: (key, value) => app.remember(key, value),
    capabilities: { version, flags: optionNames() },
  };
}

function extensionService(app: App): ExtensionService {
  const { extensions } = app;
  return {
    get isReady() {
      return extensions.lifecycle.isReady;
    },
    get ready() {
      return extensions.lifecycle.ready;
    },
    get isModelSettled() {
      return app.isModelSettled();
    },
    get pendingDialogs() {
      return extensions.dialogs.pending;
    },
    heard: () => extensions.heard(),
    answerDialog: (response) => extensions.answerDialog(response),
    info: () => extensions.lists.extensions(),
    toolInfo: () => extensions.lists.tools(),
    setActiveTools: (names) => extensions.setActiveTools(names),
    reload: () => extensions.lifecycle.reload(),
    runAborted: () => extensions.runAborted(),
  };
}
