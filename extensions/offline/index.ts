import type { ExtensionAPI } from '../../core/extension-host/contract/public.js';
import { offlineProvider } from './provider.js';
import { offlineSteps } from './steps.js';

export default function offline(pi: ExtensionAPI): void {
  // What JSON calls texts are words of the contract: the program reads the same file and checks it.
  const { models, ...provider } = offlineProvider as Omit<typeof offlineProvider, 'models'> & { models: never[] };
  pi.registerProvider('offline', { ...provider, models, streamSimple: offlineSteps });
}
