const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY'] as const;

/**
 * Makes the setting `httpProxy` count for all requests of this process and for the programs it starts. What the environment says itself
 * wins, variable by variable. Source: "Settings", Network.
 */
export function applyProxySetting(proxy: string | undefined, env: NodeJS.ProcessEnv): void {
  if (!proxy) return;
  for (const name of VARIABLES) {
    if (env[name] === undefined && env[name.toLowerCase()] === undefined) env[name] = proxy;
  }
}
