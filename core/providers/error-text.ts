import type { ModelRequest } from '../protocol/model-stream.js';

/** Longest body repeated in an error; the rest says nothing new to a person. */
const MAX_BODY = 4000;
/** Headers whose value is a secret. */
export const SECRET_HEADER = /auth|key|token|secret|cookie/i;
const MIN_SECRET = 6;

/** `<status> <body>` of a refused request; a page is reduced to its title. */
export function refusalText(status: number, body: string): string {
  const text = body.trim();
  if (text === '') return `${status} (no body)`;
  if (/^\s*<(?:!doctype|html)/i.test(text)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
    return `${status} ${title || 'an HTML page'}`;
  }
  return `${status} ${shorten(text)}`;
}

export function shorten(text: string): string {
  return text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text;
}

/** The text without the request's keys: some providers repeat what they were sent. */
export function withoutSecrets(text: string, { options }: ModelRequest): string {
  const secrets = [options.apiKey];
  for (const [name, value] of Object.entries(options.headers)) {
    if (value !== null && SECRET_HEADER.test(name)) secrets.push(value, value.replace(/^(?:Bearer|Basic)\s+/i, ''));
  }
  let safe = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= MIN_SECRET) safe = safe.replaceAll(secret, '***');
  }
  return safe;
}
