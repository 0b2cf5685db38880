import { type Unsupported, type UnsupportedFunction, unsupportedClass, unsupportedFunction } from '../unsupported.js';

const PACKAGE = 'pi-coding-agent';
const TERMINAL = 'This program draws on no terminal: talk to the user with ctx.ui, whose dialogs work over RPC.';
const SESSIONS =
  "Use createAgentSession() for a session of your own, and ctx.newSession(), ctx.fork() or ctx.switchSession() for the user's.";
const EXTENSIONS =
  'Extensions are run by this program itself; bring factories of your own in DefaultResourceLoader({ extensionFactories }).';
const START = 'Start the program as a process of its own: process.argv[1] is its command line.';

/** What no counted extension uses, or only where a terminal is drawn on: name -> what to do instead. The page about the packages shows it. */
const CLASSES = {
  AgentSessionRuntime: SESSIONS,
  ArminComponent: TERMINAL,
  BashExecutionComponent: TERMINAL,
  DefaultPackageManager: 'Install packages with npm or git, and name them in the settings under "packages".',
  ExtensionEditorComponent: TERMINAL,
  ExtensionInputComponent: TERMINAL,
  ExtensionRunner: EXTENSIONS,
  FooterComponent: TERMINAL,
  InteractiveMode: START,
  OAuthSelectorComponent: TERMINAL,
  RpcClient: `${START} It speaks the same protocol with --mode rpc.`,
  SettingsSelectorComponent: TERMINAL,
  ShowImagesSelectorComponent: TERMINAL,
  ThemeSelectorComponent: TERMINAL,
  ThinkingSelectorComponent: TERMINAL,
  UserMessageSelectorComponent: TERMINAL,
} as const;

const FUNCTIONS = {
  createAgentSessionFromServices: SESSIONS,
  createAgentSessionRuntime: SESSIONS,
  createAgentSessionServices: SESSIONS,
  discoverAndLoadExtensions: EXTENSIONS,
  main: START,
  runPrintMode: START,
  runRpcMode: START,
} as const;

const made = <K extends string, V>(
  table: Readonly<Record<K, string>>,
  make: (name: string, instead: string) => V,
): Record<K, V> =>
  // The same keys, each with what was made for it.
  Object.fromEntries(Object.entries<string>(table).map(([name, instead]) => [name, make(name, instead)])) as Record<K, V>;

export const {
  AgentSessionRuntime,
  ArminComponent,
  BashExecutionComponent,
  DefaultPackageManager,
  ExtensionEditorComponent,
  ExtensionInputComponent,
  ExtensionRunner,
  FooterComponent,
  InteractiveMode,
  OAuthSelectorComponent,
  RpcClient,
  SettingsSelectorComponent,
  ShowImagesSelectorComponent,
  ThemeSelectorComponent,
  ThinkingSelectorComponent,
  UserMessageSelectorComponent,
}: Record<keyof typeof CLASSES, Unsupported> = made(CLASSES, (name, instead) => unsupportedClass(PACKAGE, name, instead));

export const {
  createAgentSessionFromServices,
  createAgentSessionRuntime,
  createAgentSessionServices,
  discoverAndLoadExtensions,
  main,
  runPrintMode,
  runRpcMode,
}: Record<keyof typeof FUNCTIONS, UnsupportedFunction> = made(FUNCTIONS, (name, instead) =>
  unsupportedFunction(PACKAGE, name, instead),
);
