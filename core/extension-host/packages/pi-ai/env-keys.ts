import { PROVIDER_ROWS } from '../../../providers/catalogue-providers.js';

type Env = Readonly<Record<string, string | undefined>>;

export const ANTHROPIC_API_KEY_ENV = 'ANTHROPIC_API_KEY';
export const ANTHROPIC_AUTH_TOKEN_ENV = 'ANTHROPIC_AUTH_TOKEN';
export const ANTHROPIC_OAUTH_TOKEN_ENV = 'ANTHROPIC_OAUTH_TOKEN';

/** The environment variables that are set and hold a key for `provider`; undefined when none is. */
export function findEnvKeys(provider: string, env: Env = process.env): string[] | undefined {
  const variables = PROVIDER_ROWS.find(({ id }) => id === provider)?.keyVariables ?? [];
  const found = variables.filter((name) => env[name]);
  return found.length > 0 ? found : undefined;
}

/** The key that the environment has for `provider`. */
export function getEnvApiKey(provider: string, env: Env = process.env): string | undefined {
  const [name] = findEnvKeys(provider, env) ?? [];
  return name === undefined ? undefined : env[name];
}
