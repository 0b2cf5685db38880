import manifest from './package.json' with { type: 'json' };

/**
 * The embedded model: no network, no key, deterministic, and hidden: it answers only when it is named (`--provider offline`), never
 * because nothing else is set up. What is known of it stands in the manifest, which is read without loading this code.
 */
export const offlineProvider = manifest.pi.provides.providers.offline;
