import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ModelRegistryApi, ThemeApi } from '../contract/public.js';

/** Specifiers of what comes with the program -> the file in `packages/` beside this bundle. */
const FILES: Readonly<Record<string, string>> = {
  '@earendil-works/pi-coding-agent': 'pi-coding-agent.js',
  '@earendil-works/pi-coding-agent/dist/utils/image-resize.js': 'pi-coding-agent-image-resize.js',
  '@earendil-works/pi-ai': 'pi-ai.js',
  '@earendil-works/pi-ai/compat': 'pi-ai-compat.js',
  '@earendil-works/pi-ai/oauth': 'pi-ai-oauth.js',
  '@earendil-works/pi-ai/providers/all': 'pi-ai-providers-all.js',
  '@earendil-works/pi-tui': 'pi-tui.js',
  '@earendil-works/pi-agent-core': 'pi-agent-core.js',
  typebox: 'typebox.js',
  'typebox/value': 'typebox-value.js',
  'typebox/compile': 'typebox-compile.js',
};

/** What comes with the program, as files beside the bundle that runs. */
export class VirtualFiles {
  readonly #folder: URL;
  #theme: ThemeApi | undefined;

  /** `folder`: where the packages are, with a slash at its end. Only the entry of a bundle knows: this code may be in any part of it. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Loads such a package; undefined for a path it does not have. */
  load(specifier: string): (() => Promise<object>) | undefined {
    const url = this.#url(specifier);
    return url && (() => import(url.href) as Promise<object>);
  }

  /** The file itself, for extensions that look for its folder. */
  path(specifier: string): string | undefined {
    const url = this.#url(specifier);
    const file = url && fileURLToPath(url);
    return file !== undefined && existsSync(file) ? file : undefined;
  }

  /** The colours of `ctx.ui.theme`, loaded when they are first read. */
  theme(): ThemeApi {
    // Synchronous, as the property is: Node's `require` takes modules without top-level await.
    this.#theme ??= (createRequire(this.#folder)('./theme.js') as { defaultTheme(): ThemeApi }).defaultTheme();
    return this.#theme;
  }

  /** What asks models. */
  async piAi(): Promise<Pick<ModelRegistryApi, 'complete'>> {
    // The package's own function; what it takes and gives is declared there.
    return (await import(new URL('pi-ai.js', this.#folder).href)) as Pick<ModelRegistryApi, 'complete'>;
  }

  #url(specifier: string): URL | undefined {
    const file = Object.hasOwn(FILES, specifier) ? FILES[specifier] : undefined;
    return file === undefined ? undefined : new URL(file, this.#folder);
  }
}
