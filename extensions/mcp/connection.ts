import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Prompt, Tool } from '@modelcontextprotocol/sdk/types.js';
import { type ClientDuties, createClient } from './client.js';
import { loadSdk } from './sdk.js';
import type { ServerConfig } from './server-config.js';
import { type Link, linksTo } from './transports.js';

export type ConnectionState = 'starting' | 'ready' | 'waiting' | 'failed' | 'stopped';

/** What a server offers now. */
export interface Catalogue {
  tools: Tool[];
  prompts: Prompt[];
  hasResources: boolean;
}

export interface ConnectionOptions extends ClientDuties {
  config: ServerConfig;
  cwd: string;
  /** State or catalogue have changed. */
  onChange: (connection: Connection) => void;
  /** A line for the log; secrets are taken out. */
  log: (line: string) => void;
}

const NOTHING: Catalogue = { tools: [], prompts: [], hasResources: false };
/** Waits before a server that died is started again; then it is left alone. */
const BACK_OFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/** One that was well for this long begins anew with the first of them. */
const WELL_AFTER_MS = 60_000;
const MAX_PAGES = 100;

/** One server: started, watched, started again when it dies. */
export class Connection {
  readonly config: ServerConfig;
  state: ConnectionState = 'stopped';
  catalogue: Catalogue = NOTHING;
  /** Why it is not ready. */
  problem: string | undefined;
  readonly #options: ConnectionOptions;
  #client: Client | undefined;
  #link: Link | undefined;
  /** Of the start that counts: what a former one still reports does not. */
  #generation = 0;
  #deaths = 0;
  #readySince = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.config = options.config;
    this.#options = options;
  }

  /** The way to the server. Throws, with what is wrong, when there is none. */
  get client(): Client {
    if (this.state === 'ready' && this.#client) return this.#client;
    const why = this.problem === undefined ? '' : ` (${this.problem})`;
    throw new Error(`The MCP server "${this.config.name}" is not ready: ${this.state}${why}`);
  }

  /** Never rejects: `state` says how it went. */
  async start(): Promise<void> {
    const generation = ++this.#generation;
    this.#become('starting');
    try {
      await this.#connect(generation);
      if (generation !== this.#generation) return;
      this.#readySince = Date.now();
      this.#become('ready');
    } catch (error) {
      if (generation !== this.#generation) return;
      await this.#release();
      const isAgain = this.#deaths > 0;
      if (generation === this.#generation) this.#failed(this.#sentence(error), isAgain);
    }
  }

  /** By hand: from the beginning. */
  async restart(): Promise<void> {
    await this.close();
    this.#deaths = 0;
    await this.start();
  }

  async close(): Promise<void> {
    this.#generation += 1;
    clearTimeout(this.#retry);
    await this.#release();
    this.problem = undefined;
    this.#become('stopped');
  }

  /** A request could not even be sent: over HTTP nobody tells that a server is gone. */
  lost(error: unknown): void {
    if (this.state !== 'ready' || this.config.kind === 'stdio') return;
    if (error instanceof loadSdk().McpError) return;
    this.#died(this.#generation, this.#sentence(error));
  }

  async #connect(generation: number): Promise<void> {
    const { config, cwd, log } = this.#options;
    const links = linksTo(config, cwd, log);
    for (const [at, make] of links.entries()) {
      const link = make();
      const client = createClient(config, cwd, this.#options);
      this.#link = link;
      this.#client = client;
      try {
        await client.connect(link.transport, { timeout: config.startTimeoutMs });
      } catch (error) {
        if (at + 1 < links.length && isOldServer(error)) continue;
        throw error;
      }
      if (generation !== this.#generation) {
        // It was closed meanwhile; what has been started since is another's.
        await link.end(() => client.close());
        return;
      }
      client.onclose = () => this.#died(generation, 'it ended');
      client.onerror = (error) => log(`error: ${error.message}`);
      this.#watchLists(client, generation);
      this.catalogue = await this.#list(client);
      return;
    }
  }

  #watchLists(client: Client, generation: number): void {
    const { ToolListChangedNotificationSchema, PromptListChangedNotificationSchema, ResourceListChangedNotificationSchema } =
      loadSdk();
    const again = async (): Promise<void> => {
      try {
        const catalogue = await this.#list(client);
        if (generation !== this.#generation) return;
        this.catalogue = catalogue;
        this.#options.onChange(this);
      } catch (error) {
        this.#options.log(`its lists could not be read again: ${this.#sentence(error)}`);
      }
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, again);
    client.setNotificationHandler(PromptListChangedNotificationSchema, again);
    client.setNotificationHandler(ResourceListChangedNotificationSchema, again);
  }

  async #list(client: Client): Promise<Catalogue> {
    const has = client.getServerCapabilities() ?? {};
    const options = { timeout: this.config.startTimeoutMs };
    const [tools, prompts] = await Promise.all([
      has.tools
        ? allPages(
            (cursor) => client.listTools(cursor, options),
            (page) => page.tools,
          )
        : [],
      has.prompts
        ? allPages(
            (cursor) => client.listPrompts(cursor, options),
            (page) => page.prompts,
          )
        : [],
    ]);
    return { tools: tools.filter(({ name }) => this.config.wants(name)), prompts, hasResources: has.resources !== undefined };
  }

  #died(generation: number, why: string): void {
    if (generation !== this.#generation || this.state !== 'ready') return;
    if (Date.now() - this.#readySince > WELL_AFTER_MS) this.#deaths = 0;
    this.#generation += 1;
    void this.#release();
    this.#failed(why, true);
  }

  #failed(why: string, mayTryAgain: boolean): void {
    this.problem = why;
    const wait = mayTryAgain ? BACK_OFF_MS[this.#deaths] : undefined;
    this.#deaths += 1;
    if (wait !== undefined) this.#retry = setTimeout(() => void this.start(), wait);
    this.#become(wait === undefined ? 'failed' : 'waiting');
  }

  /** Ends what there is of the connection. Never rejects: what can't be ended is told to the log. */
  async #release(): Promise<void> {
    const [client, link] = [this.#client, this.#link];
    this.#client = undefined;
    this.#link = undefined;
    if (!client || !link) return;
    try {
      await link.end(() => client.close());
    } catch (error) {
      this.#options.log(`closing: ${this.#sentence(error)}`);
    }
  }

  #become(state: ConnectionState): void {
    this.state = state;
    if (state === 'ready') this.problem = undefined;
    this.#options.onChange(this);
  }

  #sentence(error: unknown): string {
    return this.config.redact(error instanceof Error ? error.message : String(error));
  }
}

/** A server that does not know the newer transport answers it so. */
function isOldServer(error: unknown): boolean {
  const { StreamableHTTPError } = loadSdk();
  return error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0);
}

async function allPages<P extends { nextCursor?: string | undefined }, T>(
  ask: (params: { cursor: string } | undefined) => Promise<P>,
  itemsOf: (page: P) => T[],
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await ask(cursor === undefined ? undefined : { cursor });
    items.push(...itemsOf(page));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}
