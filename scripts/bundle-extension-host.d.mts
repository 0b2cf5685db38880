export function bundleExtensionHost(outdir?: string): Promise<void>;
