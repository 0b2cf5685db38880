import { CodedError } from '../../base/coded-error.js';
import type { Logger } from '../../base/logger.js';
import type { LoadSettings } from '../../extension-host/contract/lifecycle.js';
import { NO_AGENT } from '../../extension-host/contract/state-values.js';
import { Dialogs } from '../../extension-host/host/dialogs.js';
import { type ExtensionServices, Extensions } from '../../extension-host/host/extensions.js';
import { Notices } from '../../extension-host/host/notices.js';
import type { StateSources } from '../../extension-host/host/state-feed.js';
import type { ExtensionFile } from '../../resources/extension-files.js';
import type { TrustAnswer } from '../../trust/project-trust.js';
import { type ExtensionTrustSources, toSpecs } from './extension-specs.js';

export interface AskProjectTrustOptions {
  entry: string;
  cacheDir: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  log: Logger;
  loadSettings: LoadSettings;
  /** Those of the user and of the command line. */
  files: readonly ExtensionFile[];
  warn: (text: string) => void;
  trust: ExtensionTrustSources;
}

/**
 * Asks the `project_trust` handlers about the project, before anything of it is read. There is no session yet and nobody to ask: the
 * extensions run in a process of their own for this one question, and are loaded anew with everything else. Undefined without an answer.
 */
export async function askProjectTrust(options: AskProjectTrustOptions): Promise<TrustAnswer | undefined> {
  const { entry, cacheDir, env, cwd, log, files, warn } = options;
  if (files.length === 0) return undefined;
  const asker = (name: string) => extensions.asker(name);
  const nothing = (): undefined => undefined;
  const extensions: Extensions = new Extensions({
    entry,
    cacheDir,
    env,
    cwd,
    log,
    loadSettings: () => options.loadSettings,
    sources: NO_STATE,
    services: NO_SERVICES,
    dialogs: new Dialogs({
      send: nothing,
      canAsk: false,
      asker,
      onDeclined: ({ name }, method) =>
        warn(`The extension ${name} asked with ctx.ui.${method} whether to trust the project: nobody can answer so early`),
      onWaiting: nothing,
    }),
    notices: new Notices({ send: nothing, canShow: false, asker, onDropped: nothing }),
    // What fails now fails again, and is told, when the session begins.
    onError: nothing,
    onDegraded: nothing,
    onChanged: nothing,
    onProvider: nothing,
    onNoProvider: nothing,
    onBack: nothing,
  });
  try {
    await extensions.load(toSpecs(files, options.trust));
    const answer = await extensions.hook({ type: 'project_trust', cwd });
    const trusted = answer?.outcome.trusted;
    if (trusted !== 'yes' && trusted !== 'no') return undefined;
    return { trusted, ...(answer?.outcome.remember === true && { remember: true }) };
  } finally {
    await extensions.dispose();
  }
}

const tooEarly = (): never => {
  throw new CodedError('EXTENSION_TOO_EARLY', 'There is no session yet: whether the project is trusted is decided first');
};
const NO_SERVICES = new Proxy({} as ExtensionServices, {
  get: () => tooEarly,
  ownKeys: () => [],
});
const NO_STATE: StateSources = {
  entries: () => [],
  session: () => ({ id: '', dir: '', cwd: '', leafId: null, header: {} }),
  agent: () => NO_AGENT,
  models: () => ({ all: [], available: [], providers: [] }),
  tools: () => [],
  commands: () => [],
  prompt: () => ({ text: '', options: {} }),
};
