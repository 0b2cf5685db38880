import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A package to publish: its package.json, and its other files by path. */
export interface TestPackage {
  manifest: { name: string; version: string; [field: string]: unknown };
  files?: Readonly<Record<string, string>>;
}

/**
 * A registry of npm packages on loopback: what `npm install` asks for, and nothing else. Tarballs are made here, so that no package of
 * the network is needed.
 */
export class NpmRegistry {
  readonly requests: string[] = [];
  readonly #server: http.Server;
  readonly #tarballs = new Map<string, Buffer>();
  readonly #packages = new Map<string, Map<string, object>>();
  readonly #held = new Set<http.ServerResponse>();
  #holdTarballs: (() => void) | undefined;

  private constructor() {
    this.#server = http.createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<NpmRegistry> {
    const registry = new NpmRegistry();
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get url(): string {
    // Listening on a port, so not a pipe's name.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Publishes, or replaces, a version; it becomes the latest. `integrity` is what the registry promises when that is not the truth. */
  publish({ manifest, files = {} }: TestPackage, integrity?: string): void {
    const { name, version } = manifest;
    const tarball = tarballOf({ 'package.json': JSON.stringify(manifest), ...files });
    const path = `/${name}/-/${name.replace('/', '-')}-${version}.tgz`;
    this.#tarballs.set(path, tarball);
    const dist = { tarball: `${this.url.slice(0, -1)}${path}`, integrity: integrity ?? integrityOf(tarball) };
    const versions = this.#packages.get(name) ?? new Map<string, object>();
    versions.delete(version);
    versions.set(version, { ...manifest, dist, ...(hasScripts(manifest) && { hasInstallScript: true }) });
    this.#packages.set(name, versions);
  }

  /** Tarballs are not answered from now on; resolves when the first one is asked for. */
  holdTarballs(): Promise<void> {
    return new Promise((resolve) => {
      this.#holdTarballs = resolve;
    });
  }

  /** Answers tarballs again. Those that were held are cut. */
  releaseTarballs(): void {
    this.#holdTarballs = undefined;
    for (const response of this.#held) response.destroy();
    this.#held.clear();
  }

  async close(): Promise<void> {
    this.releaseTarballs();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer({ url = '' }: http.IncomingMessage, response: http.ServerResponse): void {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    this.requests.push(path);
    const tarball = this.#tarballs.get(path);
    if (tarball && this.#holdTarballs) {
      this.#held.add(response);
      this.#holdTarballs();
    } else if (tarball) response.end(tarball);
    else this.#describe(path.slice(1), response);
  }

  #describe(name: string, response: http.ServerResponse): void {
    const versions = this.#packages.get(name);
    response.setHeader('content-type', 'application/json');
    response.statusCode = versions ? 200 : 404;
    const latest = versions && [...versions.keys()].at(-1);
    response.end(JSON.stringify(versions ? { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) } : {}));
  }
}

export function integrityOf(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}

function hasScripts({ scripts }: TestPackage['manifest']): boolean {
  return typeof scripts === 'object' && scripts !== null && Object.keys(scripts).some((name) => /install$/.test(name));
}

/** A gzipped tar of files below `package/`. */
function tarballOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    return [tarHeader(`package/${name}`, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
