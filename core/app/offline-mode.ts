/** PI_OFFLINE set to anything but 0 and false: no network that nobody asked for. Source: environment-variables document. */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  const value = env.PI_OFFLINE?.trim().toLowerCase();
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}
