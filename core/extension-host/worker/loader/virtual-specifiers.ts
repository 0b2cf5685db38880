/** Names under which extensions import what comes with the program, and the name it has here. */
export const VIRTUAL_PACKAGES: Readonly<Record<string, string>> = {
  '@earendil-works/pi-coding-agent': '@earendil-works/pi-coding-agent',
  '@earendil-works/pi-ai': '@earendil-works/pi-ai',
  '@earendil-works/pi-tui': '@earendil-works/pi-tui',
  '@earendil-works/pi-agent-core': '@earendil-works/pi-agent-core',
  '@mariozechner/pi-coding-agent': '@earendil-works/pi-coding-agent',
  '@mariozechner/pi-ai': '@earendil-works/pi-ai',
  '@mariozechner/pi-tui': '@earendil-works/pi-tui',
  '@mariozechner/pi-agent-core': '@earendil-works/pi-agent-core',
  typebox: 'typebox',
  '@sinclair/typebox': 'typebox',
};

/** `name` and the path behind it, which is empty or begins with a slash. */
export function splitPackage(specifier: string): { name: string; subpath: string } {
  const end = specifier.indexOf('/', specifier.startsWith('@') ? specifier.indexOf('/') + 1 : 0);
  return end < 0 ? { name: specifier, subpath: '' } : { name: specifier.slice(0, end), subpath: specifier.slice(end) };
}

/** The one name for all that mean the same: `@mariozechner/pi-ai/compat` is `@earendil-works/pi-ai/compat`. Undefined for other packages. */
export function virtualSpecifier(specifier: string): string | undefined {
  const { name, subpath } = splitPackage(specifier);
  return Object.hasOwn(VIRTUAL_PACKAGES, name) ? `${VIRTUAL_PACKAGES[name]}${subpath}` : undefined;
}

/** A package that names one of ours, typebox aside, as a dependency is written for extensions. */
export const isHostPackage = (name: string): boolean => Object.hasOwn(VIRTUAL_PACKAGES, name) && name.includes('/pi-');
