import type { OfflineStream } from './model-api.js';
import { offlineProvider } from './provider.js';
import { offlineStream } from './stream.js';

export { offlineProvider, offlineStream };

/** What this extension needs of the object extensions are given. */
interface ExtensionApi {
  registerProvider(name: string, provider: typeof offlineProvider & { stream: OfflineStream }): void;
}

export default function offline(pi: ExtensionApi): void {
  pi.registerProvider('offline', { ...offlineProvider, stream: offlineStream });
}
