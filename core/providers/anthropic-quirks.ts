import type { Model } from '../protocol/model.js';

/** What servers that speak Anthropic's dialect differ in. Source: models document, "Anthropic Messages Compatibility". */
export interface AnthropicQuirks {
  supportsEagerToolInputStreaming: boolean;
  supportsCacheControlOnTools: boolean;
  /** Thinking by effort (`adaptive`) instead of a token budget. */
  forceAdaptiveThinking: boolean;
  /** Thinking comes with an empty signature and is wanted back with it. */
  allowEmptySignature: boolean;
  sendSessionAffinityHeaders: boolean;
}

const DEFAULTS: AnthropicQuirks = {
  supportsEagerToolInputStreaming: true,
  supportsCacheControlOnTools: true,
  forceAdaptiveThinking: false,
  allowEmptySignature: false,
  sendSessionAffinityHeaders: false,
};

export function anthropicQuirks({ compat }: Model): AnthropicQuirks {
  const quirks = { ...DEFAULTS };
  if (!compat) return quirks;
  // The keys of an object literal above, which TypeScript widens to string.
  for (const key of Object.keys(DEFAULTS) as (keyof AnthropicQuirks)[]) {
    const value = compat[key];
    if (typeof value === 'boolean') quirks[key] = value;
  }
  return quirks;
}
