import { note } from './method.js';
import { nullable, oneOf, text, tuple } from './shape.js';

/** What a worker may tell the core. */
export const coreLogs = {
  /** What an extension printed: the extension where known, the stream, the text. */
  'logs.printed': note(tuple(nullable(text()), oneOf('stdout', 'stderr'), text())),
};
