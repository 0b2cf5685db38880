import { CodedError, codeOf, isCoded, messageOf } from '../../../base/coded-error.js';
import { LOADER_ERRORS } from './errors.js';

/** Who asked for a module: a file, the line where it imports it (unknown while it runs), and who asked for that file. */
export interface Importer {
  file: string;
  line?: number | undefined;
  by?: Importer | undefined;
}

const placeOf = ({ file, line }: Importer): string => (line === undefined ? file : `${file}:${line}`);

/** The error with the way that led to it. */
export function explained(error: unknown, importer: Importer | undefined): unknown {
  const code = codeOf(error);
  if (code === undefined || !importer) return error;
  const chain: string[] = [];
  for (let at = importer.by; at; at = at.by) chain.push(placeOf(at));
  const by = chain.length === 0 ? '' : ` (imported by ${chain.join(', imported by ')})`;
  const message = messageOf(error);
  const hint = isCoded(error) && typeof error.data?.hint === 'string' ? `. ${error.data.hint}` : '';
  // What is wrong in the file itself names its place already, perhaps with the line below.
  const isInside = code === LOADER_ERRORS.SYNTAX || code === LOADER_ERRORS.NOT_TRANSPILED;
  const text = isInside
    ? `${message}\n(imported by ${[placeOf(importer), ...chain].join(', imported by ')})`
    : `${message} imported from ${placeOf(importer)}${by}${hint}`;
  return new CodedError(code, text, { cause: error });
}
