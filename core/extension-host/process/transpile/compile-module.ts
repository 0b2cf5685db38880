import path from 'node:path';
import vm from 'node:vm';
import { CodedError } from '../../../base/coded-error.js';
import { CODE_NAMES, type TranspiledCode, wrapCode } from '../../contract/transpiled-code.js';
import { alignLines } from './align-lines.js';
import { TRANSPILE_ERRORS } from './errors.js';
import type { Lowered, Lowering } from './lowering.js';
import { type ScannedModule, STATIC_REQUIRE, scanModule } from './scan-module.js';
import type { Options, Sucrase } from './sucrase.js';

export interface Compilers {
  sucrase: Sucrase;
  lowering: Lowering;
}

interface Language {
  typeScript: boolean;
  jsx: boolean;
}

/** Anything not known is JavaScript. */
function languageOf(file: string): Language {
  const extension = path.extname(file).toLowerCase();
  return { typeScript: /^\.[cm]?tsx?$/.test(extension), jsx: /x$/.test(extension) };
}

/**
 * Turns a source into code that a worker evaluates. sucrase, which is quick and small, does it for nearly all there is; it drops or lets
 * pass what it does not know, so that V8 looks at the result, and whatever is in doubt goes through esbuild first. Lines stay
 * where they were. Throws `TRANSPILE_SYNTAX_ERROR`.
 */
export async function compileModule(file: string, source: string, { sucrase, lowering }: Compilers): Promise<TranspiledCode> {
  const text = normalize(source);
  const language = languageOf(file);
  const doubt = attempt(sucrase, file, text, language);
  if (!(doubt instanceof Doubt)) return doubt;
  const lowered = await lowering.lower(file, text, `${language.typeScript ? 'ts' : 'js'}${language.jsx ? 'x' : ''}`);
  const result = attempt(sucrase, file, aligned(sucrase, lowered), { typeScript: false, jsx: false });
  if (!(result instanceof Doubt)) return result;
  const cause = result.cause ?? doubt.cause;
  throw new CodedError(TRANSPILE_ERRORS.SYNTAX, describe(file, cause), { cause });
}

/** What sucrase alone should not decide; with an error when something refused the source or the result. */
class Doubt {
  constructor(readonly cause?: unknown) {}
}

function attempt(sucrase: Sucrase, file: string, text: string, language: Language): TranspiledCode | Doubt {
  try {
    const compiled = isPlainScript(text, language) ? plainScript(text) : transpile(sucrase, text, language);
    if (compiled instanceof Doubt) return compiled;
    new vm.Script(wrapCode(compiled), { filename: file });
    return compiled;
  } catch (error) {
    return new Doubt(error);
  }
}

function transpile(sucrase: Sucrase, text: string, language: Language): TranspiledCode | Doubt {
  const scanned = scanModule(text, sucrase.parse(text, language.jsx, language.typeScript, false), sucrase.types);
  return scanned.needsLowering && language.typeScript ? new Doubt() : emit(sucrase, scanned, language);
}

/** Nothing to change, and sucrase does not know all that old scripts may do (`with`). */
const isPlainScript = (text: string, { typeScript, jsx }: Language): boolean =>
  !typeScript && !jsx && !/\b(?:import|export|await)\b/.test(text);

function plainScript(code: string): TranspiledCode {
  const calls = code.matchAll(/\brequire\s*(?:\.\s*resolve\s*)?\(\s*(['"])([^'"\n]+)\1/g);
  const requires = [...new Set(Array.from(calls, (call) => call[2] ?? ''))];
  return { form: 'script', awaits: false, imports: [], requires, hoisted: '', code };
}

function emit(sucrase: Sucrase, scanned: ScannedModule, { typeScript, jsx }: Language): TranspiledCode {
  const { form, awaits, requires, hoisted, text, specifiers } = scanned;
  const transforms: Options['transforms'] = [];
  if (typeScript) transforms.push('typescript');
  if (jsx) transforms.push('jsx');
  if (form === 'module') transforms.push('imports');
  const options: Options = { transforms, disableESTransforms: true, preserveDynamicImport: true, production: true };
  const { code } = transforms.length === 0 ? { code: text } : sucrase.transform(text, options);
  const imports: [string, number][] = [];
  let line = 1;
  let done = 0;
  // Unused imports are gone by now: these are all that the module needs.
  const numbered = code.replace(STATIC_REQUIRE, (_all, number: string, offset: number) => {
    line += code.slice(done, offset).split('\n').length - 1;
    done = offset;
    return `${CODE_NAMES.imported}(${imports.push([specifiers[Number(number)] ?? '', line]) - 1})`;
  });
  return { form, awaits, imports, requires, hoisted, code: numbered };
}

/** Line breaks as they count for V8 and sucrase alike; a hashbang, which is only allowed at the very beginning, becomes a comment. */
const normalize = (source: string): string => source.replace(/^\uFEFF/, '').replace(/^#!/, '//');

function aligned(sucrase: Sucrase, { code, map }: Lowered): string {
  return alignLines(code, map, sucrase.parse(code, false, false, false).tokens);
}

/** V8 tells the place in the first line of the stack, sucrase in its message. */
function describe(file: string, error: unknown): string {
  if (!(error instanceof Error)) return `${file}: ${String(error)}`;
  const place = error.stack?.startsWith(`${file}:`) ? error.stack.slice(0, error.stack.indexOf('\n')) : file;
  return `${place}: ${error.message}`;
}
