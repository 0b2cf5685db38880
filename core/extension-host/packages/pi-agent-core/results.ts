/** A value or an error, as data. Source: observed, 0.84.0. */
export type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });

export function getOrThrow<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw result.error;
}

export function getOrUndefined<T, E>(result: Result<T, E>): T | undefined {
  return result.ok ? result.value : undefined;
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

export const Result = {
  ok,
  err,
  isOk: <T, E>(result: Result<T, E>): result is { ok: true; value: T } => result.ok,
  isErr: <T, E>(result: Result<T, E>): result is { ok: false; error: E } => !result.ok,
};
