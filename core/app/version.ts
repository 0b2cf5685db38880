declare const PI_VERSION: string | undefined;

/** The version of the package; `0.0.0-source` when the sources run without a build. */
export const VERSION: string = typeof PI_VERSION === 'string' ? PI_VERSION : '0.0.0-source';
