/** JSON-serialisable details of an error, for programs rather than people. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * The one error type of the project: a stable `code` for programs, a message for people, and the `cause` that is always kept.
 * Each room lists its codes in its own `errors.ts`. Test with {@link isCoded}: across threads and processes there are two classes
 * of this name, so `instanceof` lies.
 */
export class CodedError extends Error {
  readonly code: string;
  readonly data?: ErrorData;

  constructor(code: string, message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CodedError';
    this.code = code;
    if (options.data) this.data = options.data;
  }
}

/** True when `error` carries `code` (any code when it is left out), whichever realm made it. */
export function isCoded(error: unknown, code?: string): error is Error & { code: string; data?: ErrorData } {
  if (!(error instanceof Error) && !(typeof error === 'object' && error !== null && 'message' in error)) return false;
  const found = (error as { code?: unknown }).code;
  return typeof found === 'string' && (code === undefined || found === code);
}

/** The code of anything that was thrown, where it has one. */
export function codeOf(error: unknown): string | undefined {
  return isCoded(error) ? error.code : undefined;
}

/** The text to show a person for anything that was thrown, whatever it is. Never throws itself. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && typeof (error as { message?: unknown }).message === 'string') {
    return (error as { message: string }).message;
  }
  try {
    return String(error);
  } catch {
    // A hostile toString: the kind is all that can be said.
    return `a thrown ${typeof error}`;
  }
}
