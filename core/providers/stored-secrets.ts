import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Variables with these words in their names hold secrets. */
const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)/i;
const SECRET_MEMBER = /^(?:key|apiKey|access|refresh|token|secret|password)$/i;
/** Headers that say what a request is, never who sends it: their values are words that stand everywhere. */
const OPEN_HEADER =
  /^(?:accept(?:-.+)?|content-.+|user-agent|(?:http-)?referer|origin|x-title|anthropic-(?:beta|version)|openai-beta)$/i;
const PROXY_NAME = /^(?:https?|all)_proxy$/i;

/**
 * Every secret that the environment, auth.json and models.json hold, whether the program has used it or not: extensions and tools can read
 * them too. Files are read again when they changed.
 */
export function storedSecrets(env: NodeJS.ProcessEnv, agentDir: string): () => string[] {
  const files = ['auth.json', 'models.json'].map((name) => secretsOfFile(path.join(agentDir, name), env));
  return () => [...secretsOfEnv(env), ...files.flatMap((read) => read())];
}

function secretsOfEnv(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (SECRET_NAME.test(name)) return [value];
    return PROXY_NAME.test(name) ? passwordOf(value) : [];
  });
}

function passwordOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  return password === '' ? [] : [decodeURIComponent(password), `${username}:${password}`];
}

function secretsOfFile(file: string, env: NodeJS.ProcessEnv): () => string[] {
  let stamp: string | undefined;
  let secrets: string[] = [];
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    const now = found && `${found.mtimeMs} ${found.size}`;
    if (now === stamp) return secrets;
    stamp = now;
    secrets = now === undefined ? [] : secretsOfText(readOrNothing(file)).filter((secret) => !isReference(secret, env));
    return secrets;
  };
}

/** A file that can't be read or is no JSON is reported where it is used; it has no secrets that the program could know. */
function readOrNothing(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Values of members that hold keys, and of all headers that may. */
function secretsOfText(content: unknown): string[] {
  const secrets: string[] = [];
  const open: { value: unknown; all: boolean }[] = [{ value: content, all: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, all } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      const isSecret = (all && !OPEN_HEADER.test(name)) || SECRET_MEMBER.test(name);
      if (typeof member === 'string' && isSecret) secrets.push(member, member.replace(/^(?:Bearer|Basic)\s+/i, ''));
      else open.push({ value: member, all: all || /^(?:headers|env)$/i.test(name) });
    }
  }
  return secrets;
}

/** The name of a variable, or a command that gives the key, is no key. */
function isReference(secret: string, env: NodeJS.ProcessEnv): boolean {
  return /^[!$]/.test(secret) || /^[A-Z][A-Z0-9_]*$/.test(secret) || secret in env;
}
