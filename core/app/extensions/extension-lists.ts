import { redact } from '../../base/secrets.js';
import type { CommandState, ModelsState, PromptState, ToolState } from '../../extension-host/contract/state-values.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { Extensions } from '../../extension-host/host/extensions.js';
import type { ExtensionInfo, ToolInfo } from '../../protocol/commands/extensions.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { ModelRegistry } from '../../providers/registry.js';
import type { ActiveTools } from './active-tools.js';
import type { ExtensionWorld } from './extension-world.js';

export interface ExtensionListsOptions {
  extensions: Extensions;
  tools: ActiveTools;
  registry: ModelRegistry;
  /** Whether a provider is one that extensions brought. */
  isOfExtension: (provider: string) => boolean;
  world: () => ExtensionWorld;
}

/** What there is, in the words of those who ask: extensions read it as state, clients by commands. */
export class ExtensionLists {
  readonly #options: ExtensionListsOptions;

  constructor(options: ExtensionListsOptions) {
    this.#options = options;
  }

  /** Of extensions, as `get_commands` lists them. */
  slashCommands(): SlashCommand[] {
    return this.#options.extensions.commands().map(({ record: { spec }, invocation, description }) => ({
      name: invocation,
      ...(description !== undefined && { description }),
      source: 'extension' as const,
      path: spec.path,
      sourceInfo: spec.sourceInfo,
    }));
  }

  /** As `get_extensions` gives it. */
  extensions(): ExtensionInfo[] {
    const { extensions } = this.#options;
    return extensions.records.map((record) => toInfo(record, extensions.fleet.describe(record)));
  }

  /** As `get_tools` gives it. */
  tools(): ToolInfo[] {
    const active = new Set(this.#options.tools.active().map(({ name }) => name));
    return this.toolStates().map(({ name, label, description, parameters, sourceInfo }) => ({
      name,
      ...(label !== undefined && { label }),
      description,
      parameters,
      active: active.has(name),
      sourceInfo,
    }));
  }

  toolStates(): ToolState[] {
    const { extensions, tools } = this.#options;
    const owners = new Map(extensions.tools().tools.map(({ record, tool }) => [tool.name, record.spec.sourceInfo]));
    return tools.all().map((tool) => ({
      name: tool.name,
      ...(tool.label !== undefined && { label: tool.label }),
      description: tool.description,
      parameters: { ...tool.parameters },
      ...(tool.promptSnippet !== undefined && { promptSnippet: tool.promptSnippet }),
      ...(tool.promptGuidelines !== undefined && { promptGuidelines: [...tool.promptGuidelines] }),
      sourceInfo: owners.get(tool.name) ?? {
        path: `<builtin:${tool.name}>`,
        source: 'builtin',
        scope: 'temporary',
        origin: 'top-level',
      },
    }));
  }

  async commandStates(): Promise<CommandState[]> {
    const slash = await orElse(this.#options.world().slashCommands(), []);
    return [...this.slashCommands(), ...slash].map(({ name, description, source, path, sourceInfo }) => ({
      name,
      ...(description !== undefined && { description }),
      source,
      sourceInfo: sourceInfo ?? { path: path ?? '', source: 'local', scope: 'user', origin: 'top-level' },
    }));
  }

  /** What can't be put together now fails with the prompt that needs it, and is said there. */
  promptState(): Promise<PromptState> {
    return orElse(this.#options.world().prompt(), { text: '', options: {} });
  }

  async modelsState(): Promise<ModelsState> {
    const { registry, isOfExtension } = this.#options;
    const [all, available] = await orElse(Promise.all([registry.all(), registry.available()]), [[], []]);
    const ids = [...new Set(all.map(({ provider }) => provider))];
    const usable = new Set(available.map(({ provider }) => provider));
    return {
      all: [...all],
      available: available.map(({ provider, id }) => `${provider}/${id}`),
      providers: ids.map((id) => ({ id, name: id, configured: usable.has(id), registered: isOfExtension(id) })),
    };
  }
}

/** State that extensions read has no way to fail: what went wrong is told where it matters. */
function orElse<T>(found: Promise<T>, otherwise: T): Promise<T> {
  return found.catch(() => otherwise);
}

function toInfo(
  record: ExtensionRecord,
  place: { pid: number | undefined; worker: number | undefined; shared: boolean },
): ExtensionInfo {
  const { spec, state, loadMs, reason, lastStack, restarts, errors } = record;
  return {
    name: spec.name,
    path: spec.path,
    level: spec.level,
    state,
    source: spec.sourceInfo.source,
    scope: spec.sourceInfo.scope,
    ...(place.pid !== undefined && { pid: place.pid }),
    ...(place.worker !== undefined && { worker: place.worker }),
    shared: place.shared,
    ...(loadMs !== undefined && { loadMs }),
    ...(reason !== undefined && { reason: redact(reason) }),
    ...(lastStack !== undefined && { stack: redact(lastStack) }),
    restarts,
    errors,
    hooks: [...record.hookTimes].map(([event, times]) => ({ event, ...times })),
    tools: [...record.tools.keys()],
    commands: [...record.commands.keys()],
    flags: [...record.flags.keys()],
    providers: [...record.providers.keys()],
    ...(spec.declared && { declared: [...spec.declared] }),
    ...(spec.grants && { granted: [...spec.grants.texts], denied: deniedTo(record) }),
  };
}

/** What it was refused, and what it says it needs and is not granted. */
function deniedTo({ spec, denied }: ExtensionRecord): string[] {
  const granted = new Set(spec.grants?.texts);
  return [...new Set([...(spec.declared ?? []).filter((one) => !granted.has(one)), ...denied])];
}
