import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ThemeApi } from '../contract/public.js';

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

function urlOf(specifier: string): URL | undefined {
  const file = Object.hasOwn(FILES, specifier) ? FILES[specifier] : undefined;
  return file === undefined ? undefined : new URL(`./packages/${file}`, import.meta.url);
}

/** Loads such a package; undefined for a path it does not have. */
export function virtualPackage(specifier: string): (() => Promise<object>) | undefined {
  const url = urlOf(specifier);
  return url && (() => import(url.href) as Promise<object>);
}

/** The file itself, for extensions that look for its folder. */
export function virtualPath(specifier: string): string | undefined {
  const url = urlOf(specifier);
  const file = url && fileURLToPath(url);
  return file !== undefined && existsSync(file) ? file : undefined;
}

let theme: ThemeApi | undefined;

/** The colours of `ctx.ui.theme`, loaded when they are first read. */
export function defaultTheme(): ThemeApi {
  // Synchronous, as the property is: Node's `require` takes modules without top-level await.
  theme ??= (createRequire(import.meta.url)('./packages/theme.js') as { defaultTheme(): ThemeApi }).defaultTheme();
  return theme;
}
