/** Shorter texts are no keys; they would be found in everything. */
const MIN_LENGTH = 8;
const MARK = '[secret]';

/** Longest first: a secret that another one begins with may not hide its end from us. */
let known: string[] = [];
const added = new Set<string>();
const sources = new Set<() => Iterable<string>>();

/**
 * Makes a secret known to this process: from now on {@link redact} replaces it. There is one list for the whole process, because what one part
 * of it may not write, no other may.
 */
export function addSecret(secret: string | undefined): void {
  if (secret === undefined || secret.length < MIN_LENGTH) return;
  if (added.has(secret)) return;
  added.add(secret);
  known = [...new Set([...known, ...formsOf(secret)])].sort((a, b) => b.length - a.length);
}

/** Where more secrets are, looked into each time that text leaves: it should be cheap. Gives the way to take it back. */
export function addSecretSource(source: () => Iterable<string>): () => void {
  sources.add(source);
  return () => sources.delete(source);
}

/** The text with every known secret replaced, in the forms in which secrets are written: plain, in JSON, in URLs, in base64. */
export function redact(text: string): string {
  for (const source of sources) for (const secret of source()) addSecret(secret);
  let safe = text;
  for (const secret of known) if (safe.includes(secret)) safe = safe.replaceAll(secret, MARK);
  return safe;
}

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // Half a surrogate pair stands in no URL.
  const url = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const forms = [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    withLowerCaseEscapes(url),
    form,
    withLowerCaseEscapes(form),
  ];
  return [...forms, ...base64Forms(secret)].filter((one) => one.length >= MIN_LENGTH);
}

function withLowerCaseEscapes(url: string): string {
  return url.replace(/%../g, (code) => code.toLowerCase());
}

/** How it stands in base64, in both alphabets, whatever comes before and after it: in Basic credentials that is the name of a user. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    // The characters at the ends that also hold bits of what is beside it.
    const end = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(before === 0 ? 0 : before + 1, end);
    return own.length < MIN_LENGTH ? [] : [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}
