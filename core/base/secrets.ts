/** Shorter texts are no keys; they would be found in everything. */
const MIN_LENGTH = 8;
const MARK = '[secret]';

const known = new Set<string>();
const sources = new Set<() => Iterable<string>>();

/**
 * Makes a secret known to this process: from now on {@link redact} replaces it. There is one list for the whole process, because what one part
 * of it may not write, no other may.
 */
export function addSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < MIN_LENGTH) return;
  for (const form of formsOf(secret)) known.add(form);
}

/** Where more secrets are, looked into each time that text leaves: it should be cheap. Gives the way to take it back. */
export function addSecretSource(source: () => Iterable<string>): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

/** The text with every known secret replaced, in the forms in which secrets are written: plain, in JSON, in URLs, in base64. */
export function redact(text: string): string {
  for (const source of sources) for (const secret of source()) if (!known.has(secret)) addSecret(secret);
  let safe = text;
  for (const secret of known) if (safe.includes(secret)) safe = safe.replaceAll(secret, MARK);
  return safe;
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64].filter(
    (form) => form.length >= MIN_LENGTH,
  );
}
