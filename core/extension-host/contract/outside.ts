import { method } from './method.js';
import { flag, integer, jsonObject, list, nullable, oneOf, record, text, tuple } from './shape.js';

/** Bytes a request, and an answer, of a restricted extension may have. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
export const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

const Headers = list(tuple(text(256), text(64 * 1024)), 200);

const FetchRequestShape = record(
  { url: text(16 * 1024), method: text(32), headers: Headers, redirect: oneOf('follow', 'error', 'manual') },
  /** base64 */
  { body: text() },
);
const FetchProgressShape = record(
  {},
  {
    /** Once, and first. */
    head: record({ status: integer(100), statusText: text(), url: text(), redirected: flag, headers: Headers }),
    /** base64 */
    chunk: text(),
  },
);

const ProgramShape = record(
  { command: text(4_096), args: list(text()), cwd: nullable(text()) },
  /** Milliseconds. */
  { timeout: integer(1) },
);

/** What an extension that can't reach network and programs has the core do for it. First argument: the extension. */
export const coreOutside = {
  /** The answer comes as progress; the result is its number of bytes. */
  'net.fetch': method({ args: tuple(text(), FetchRequestShape), result: integer(), progress: FetchProgressShape }),
  'exec.run': method({ args: tuple(text(), ProgramShape), result: jsonObject }),
};
