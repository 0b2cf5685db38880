import path from 'node:path';
import { expandHome } from '../resources/agent-dir.js';
import { parsePackageSource } from '../resources/packages/package-source.js';
import { loadSettings } from '../resources/settings.js';

/**
 * Places outside `.pi` that the settings of the project in `cwd` load from: what a pin covers besides. A glob counts from the folder in
 * which it begins to be one.
 */
export function pinnedPlaces(cwd: string, home: string): string[] {
  const dotPi = path.join(cwd, '.pi');
  // The project's file alone, read as it would be if it were trusted; nothing of it is loaded.
  const { project } = loadSettings({ agentDir: path.join(dotPi, 'no-agent'), cwd, projectTrusted: true });
  if (!project) return [];
  const { extensions = [], skills = [], prompts = [], packages = [] } = project.known;
  const places = [...extensions, ...skills, ...prompts]
    .filter((word) => !/^[!-]/.test(word))
    .map((word) => path.resolve(dotPi, expandHome(beforeGlob(word.replace(/^\+/, '')), home)));
  for (const entry of packages) {
    try {
      const source = parsePackageSource(typeof entry === 'string' ? entry : entry.source, dotPi, home);
      if (source.kind === 'path') places.push(source.path);
    } catch {
      // Names nothing, so nothing would be loaded; it is told where the settings are read.
    }
  }
  return [...new Set(places)].filter((place) => place !== dotPi && !place.startsWith(dotPi + path.sep)).sort();
}

function beforeGlob(word: string): string {
  const at = word.search(/[*?[{]/);
  return at < 0 ? word : word.slice(0, word.lastIndexOf('/', at) + 1) || '.';
}
