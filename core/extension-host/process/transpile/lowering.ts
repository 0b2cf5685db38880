import { CodedError } from '../../../base/coded-error.js';
import { TRANSPILE_ERRORS } from './errors.js';

type Esbuild = Pick<typeof import('esbuild'), 'transform' | 'stop'>;
type Loader = 'ts' | 'tsx' | 'js' | 'jsx';

export interface Lowered {
  code: string;
  map: string;
}

/** Long enough for the files of one load. */
const IDLE_MS = 2_000;

/**
 * Turns syntax that few use (`namespace`, decorators, `using`, aliases) into plain JavaScript with import and export, and has the last word on
 * what is a syntax error. Starts esbuild's process at the first call and ends it when nobody needed it for a while.
 */
export class Lowering {
  #esbuild: Promise<Esbuild> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running = 0;

  /** Throws `TRANSPILE_SYNTAX_ERROR` naming file, line and column. */
  async lower(path: string, source: string, loader: Loader): Promise<Lowered> {
    clearTimeout(this.#idle);
    this.#running++;
    try {
      this.#esbuild ??= import('esbuild');
      const { transform } = await this.#esbuild;
      return await transform(source, {
        sourcefile: path,
        loader,
        format: 'esm',
        target: 'node20.19',
        sourcemap: 'external',
        sourcesContent: false,
        legalComments: 'none',
        charset: 'utf8',
        logLevel: 'silent',
        // No tsconfig.json is read. These are what extensions have been run with.
        tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: true, jsx: 'react' } },
      });
    } catch (error) {
      throw syntaxError(path, error) ?? error;
    } finally {
      this.#running--;
      this.#stopWhenIdle();
    }
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const esbuild = this.#esbuild;
    this.#esbuild = undefined;
    await (await esbuild)?.stop();
  }

  #stopWhenIdle(): void {
    if (this.#running > 0 || !this.#esbuild) return;
    const esbuild = this.#esbuild;
    clearTimeout(this.#idle);
    // Loaded stays what is loaded: only its process ends, and the next call starts another.
    this.#idle = setTimeout(() => void esbuild.then(({ stop }) => stop()), IDLE_MS).unref();
  }
}

/** Undefined when it was not the source's fault. */
function syntaxError(path: string, error: unknown): CodedError | undefined {
  const { errors } = error as Partial<import('esbuild').TransformFailure>;
  const first = errors?.[0];
  if (!first) return undefined;
  const { line, column, lineText } = first.location ?? { line: 1, column: 0, lineText: '' };
  const pointed = lineText.length > 0 && lineText.length < 200 ? `\n    ${lineText}\n    ${' '.repeat(column)}^` : '';
  return new CodedError(TRANSPILE_ERRORS.SYNTAX, `${path}:${line}:${column + 1}: ${first.text}${pointed}`, { cause: error });
}
