import { method } from './method.js';
import { jsonObject, text, tuple } from './shape.js';

/** Models that an extension speaks for itself. */
export const workerProviders = {
  /** Extension, provider, `{model, context, options}`. Steps of the answer as progress, then the answer. */
  'providers.stream': method({
    args: tuple(text(), text(), jsonObject),
    result: jsonObject,
    progress: jsonObject,
    abortGraceMs: 2_000,
  }),
};
