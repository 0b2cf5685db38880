/** Where a resource comes from, as clients and extensions are told. */
export interface SourceInfo {
  path: string;
  source: string;
  scope: 'user' | 'project' | 'temporary';
  origin: 'package' | 'top-level';
  baseDir?: string;
}

/** For a resource that code made up. */
export function createSyntheticSourceInfo(
  path: string,
  options: Partial<Omit<SourceInfo, 'path'>> & { source: string },
): SourceInfo {
  const { source, scope = 'temporary', origin = 'top-level', baseDir } = options;
  return { path, source, scope, origin, ...(baseDir === undefined ? {} : { baseDir }) };
}
