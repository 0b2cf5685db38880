import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { loadSdk } from './sdk.js';
import type { HttpConfig, ServerConfig, StdioConfig } from './server-config.js';

export interface Link {
  transport: Transport;
  /** Ends what the transport alone would leave: a session on the other side, a process that does not go. */
  end(close: () => Promise<void>): Promise<void>;
}

/** A server that has not ended this long after its stdin did is killed. */
const CLOSE_MS = 1_200;
/** A line of its stderr that does not end is cut. */
const MAX_LINE_CHARS = 64 * 1024;

/** What to try, in this order, to reach a server. */
export function linksTo(config: ServerConfig, cwd: string, log: (line: string) => void): (() => Link)[] {
  if (config.kind === 'stdio') return [() => stdioLink(config, cwd, log)];
  if (config.kind === 'sse') return [() => sseLink(config)];
  return [() => httpLink(config), () => sseLink(config)];
}

/** The process stays in the group of this one: it can't outlive it, however that ends. */
function stdioLink({ command, args, env, cwd }: StdioConfig, projectFolder: string, log: (line: string) => void): Link {
  const { StdioClientTransport } = loadSdk();
  const transport = new StdioClientTransport({ command, args, env, cwd: cwd ?? projectFolder, stderr: 'pipe' });
  let rest = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS);
    for (const line of lines) log(line);
  });
  return {
    transport,
    async end(close) {
      const { pid } = transport;
      const kill = setTimeout(() => pid !== null && killProcess(pid), CLOSE_MS);
      await close();
      clearTimeout(kill);
    },
  };
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: it has just gone.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function httpLink({ url, headers }: HttpConfig): Link {
  const { StreamableHTTPClientTransport } = loadSdk();
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  return {
    transport: transport as Transport, // it says `undefined` of members that the interface leaves out
    async end(close) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      // Servers need not allow this, and may be gone.
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
      clearTimeout(timer);
      await close();
    },
  };
}

/** The transport of servers from before 2025. */
function sseLink({ url, headers }: HttpConfig): Link {
  const { SSEClientTransport } = loadSdk();
  return { transport: new SSEClientTransport(url, { requestInit: { headers } }), end: (close) => close() };
}
