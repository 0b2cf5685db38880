// The package ships no types of its own.
declare module 'proxy-from-env' {
  /** The proxy for `url` by `*_PROXY` and `NO_PROXY` of the process's environment; empty when there is none. */
  export function getProxyForUrl(url: string | URL): string;
}
