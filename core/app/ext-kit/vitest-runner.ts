import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledFolder } from '../../resources/bundled-folder.js';

/** What is used of vitest's own library. */
interface VitestNode {
  parseCLI(argv: string[]): { filter: string[]; options: Record<string, unknown> };
  startVitest(
    mode: 'test',
    filters: string[],
    options: Record<string, unknown>,
    vite: Record<string, unknown>,
  ): Promise<{ close(): Promise<void> } | undefined>;
}

/** `argv`: the folder of vitest, the folder of the tests, then vitest's own arguments. */
async function main([vitest = '', root = '', ...args]: string[]): Promise<void> {
  // The author's vitest, whichever it is: its shape is that of its documented API.
  const { parseCLI, startVitest } = (await import(pathToFileURL(path.join(vitest, 'dist', 'node.js')).href)) as VitestNode;
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const dist = path.join(bundledFolder(), 'dist');
  const external = new RegExp(`^(?:file://)?${dist.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
  const test = { server: { deps: { external: [external] } } };
  // What it keeps of earlier runs would lie in a folder of the author's.
  const how = { root, watch: false, cache: false, ...options };
  const running = await startVitest('test', filter, how, { test, resolve: { alias: aliases(dist) } });
  await running?.close();
}

/** What a test imports by the names an extension uses, and the kit, is what comes with this program. */
function aliases(dist: string): { find: RegExp; replacement: string }[] {
  const packages = path.join(dist, 'extension-host', 'packages');
  const names = ['pi-coding-agent', 'pi-agent-core', 'pi-tui', 'pi-ai', 'pi-ai/compat', 'pi-ai/oauth', 'pi-ai/providers/all'];
  return [
    { find: /^pi-platform\/testing$/, replacement: path.join(dist, 'testing.js') },
    ...names.map((name) => ({
      find: new RegExp(`^@(?:earendil-works|mariozechner)/${name}$`),
      replacement: path.join(packages, `${name.replaceAll('/', '-')}.js`),
    })),
    ...['', '/value', '/compile'].map((part) => ({
      find: new RegExp(`^(?:@sinclair/)?typebox${part}$`),
      replacement: path.join(packages, `typebox${part.replace('/', '-')}.js`),
    })),
  ];
}

await main(process.argv.slice(2));
