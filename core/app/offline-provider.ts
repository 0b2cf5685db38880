import { offlineProvider as facts } from '../../extensions/offline/provider.js';
import type { RegisteredProvider } from '../providers/registry-types.js';

/** The bundled offline model. Its code is loaded with the first request to it; until then only its facts are known. */
export const offlineProvider: RegisteredProvider = {
  ...facts,
  async stream(request, emit) {
    const { offlineStream } = await import('../../extensions/offline/index.js');
    return offlineStream(request, emit);
  },
};
