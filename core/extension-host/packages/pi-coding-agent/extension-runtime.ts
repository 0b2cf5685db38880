/** Members that stand for actions of a session; before one is bound they can't be used. */
const ACTIONS = [
  'sendMessage',
  'sendUserMessage',
  'appendEntry',
  'setSessionName',
  'getSessionName',
  'setLabel',
  'getActiveTools',
  'getAllTools',
  'setActiveTools',
  'refreshTools',
  'getCommands',
  'setModel',
  'getThinkingLevel',
  'setThinkingLevel',
] as const;

export interface ExtensionRuntime extends Record<(typeof ACTIONS)[number], (...args: unknown[]) => unknown> {
  flagValues: Map<string, boolean | string>;
  pendingProviderRegistrations: { name: string; config: unknown }[];
  assertActive(): void;
  invalidate(): void;
  registerProvider(name: string, config: unknown): void;
  unregisterProvider(name: string): void;
}

/** What extensions share before a session is there: flags, and providers to be registered. Source: member names as observed, 0.84.0. */
export function createExtensionRuntime(): ExtensionRuntime {
  let active = true;
  const notInitialized = (name: string) => (): never => {
    throw new Error(`Extension runtime not initialized: ${name} can be used once a session has begun`);
  };
  const actions = Object.fromEntries(ACTIONS.map((name) => [name, notInitialized(name)]));
  const pending: ExtensionRuntime['pendingProviderRegistrations'] = [];
  const rest = {
    flagValues: new Map<string, boolean | string>(),
    pendingProviderRegistrations: pending,
    assertActive() {
      if (!active) throw new Error('This extension context is stale: its session was replaced');
    },
    invalidate() {
      active = false;
    },
    registerProvider: (name: string, config: unknown) => void pending.push({ name, config }),
    unregisterProvider(name: string) {
      const left = pending.filter((one) => one.name !== name);
      pending.splice(0, pending.length, ...left);
    },
  };
  return { ...actions, ...rest } as ExtensionRuntime; // every action was just made
}
