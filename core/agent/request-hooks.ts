import type { ModelRequestOptions } from '../protocol/model-stream.js';
import type { AgentHooks } from './hooks.js';
import type { Patience } from './patience.js';

/** The parts of a request that hooks may change or look at. Rejects with `ABORTED` on abort. */
export async function requestHooks(
  hooks: AgentHooks,
  configured: Readonly<Record<string, string>>,
  patience: Patience,
): Promise<Pick<ModelRequestOptions, 'headers' | 'onPayload' | 'onResponse'>> {
  const asked = hooks.beforeProviderHeaders(configured);
  const changed = asked && (await patience.answer(asked));
  return {
    headers: changed ?? { ...configured },
    onPayload: (payload) => {
      const replaced = hooks.beforeProviderRequest(payload);
      return replaced && patience.answer(replaced);
    },
    onResponse: (response) => {
      const seen = hooks.afterProviderResponse(response);
      return seen && patience.answer(seen).then(() => undefined);
    },
  };
}
