import path from 'node:path';
import { expandHome } from './agent-dir.js';

/** The folder of a package that lies on this machine; undefined for one that has to be fetched. */
export function localPackage(source: string, baseDir: string, home: string): string | undefined {
  return /^(?:npm|git|https?|ssh):|^git@/.test(source) ? undefined : path.resolve(baseDir, expandHome(source, home));
}
