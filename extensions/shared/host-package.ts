/** What the bundled extensions use of the package that every extension may import. */
interface HostPackage {
  getAgentDir(): string;
  /** Throws on YAML that can't be read. Runs nothing. */
  parseFrontmatter(text: string): { frontmatter: Record<string, unknown>; body: string };
  /** What a person decided about projects. */
  ProjectTrustStore: new () => { get(cwd: string): boolean | null };
  truncateHead(text: string, limits: { maxBytes: number; maxLines: number }): { content: string; truncated: boolean };
}

// A variable, as the package is the program itself and has no types to be found by its name.
const NAME: string = '@earendil-works/pi-coding-agent';

/** Loaded at the first call: a session that has no use for it does not pay for it. */
export async function hostPackage(): Promise<HostPackage> {
  return (await import(NAME)) as HostPackage; // its names are those of docs/host-packages.md
}
