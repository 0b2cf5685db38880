const SECRET_NAME = /key|token|secret|passw|auth|cred|cookie|session/i;
/** Shorter values are words that mean something else elsewhere in a text. */
const MIN_CHARS = 8;
const MIN_CHARS_OF_KEYS = 4;

/** What takes the secrets of a server out of a text. */
export type Redact = (text: string) => string;

/**
 * `env` and `headers` are as they are sent; `filled` came out of variables. What is told to people, logs and the model goes through the
 * answer.
 */
export function createRedact(
  env: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  filled: Iterable<string>,
): Redact {
  const secrets = new Set<string>();
  const add = (value: string, min: number): void => {
    if (value.length >= min) secrets.add(value);
  };
  for (const [name, value] of Object.entries(env)) add(value, SECRET_NAME.test(name) ? MIN_CHARS_OF_KEYS : MIN_CHARS);
  for (const value of Object.values(headers)) {
    add(value, MIN_CHARS_OF_KEYS);
    // "Bearer …": the key alone is one too.
    add(value.split(' ').at(-1) ?? '', MIN_CHARS);
  }
  for (const value of filled) add(value, MIN_CHARS);
  // The longest first: one may be a part of another.
  const ordered = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}
