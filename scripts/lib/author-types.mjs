// dist/types/: what editors and compilers of extension authors read. `extension.d.ts` and `pi-*.d.ts` stand for the packages of the existing
// program that extensions import, `testing.d.ts` for the kit. Made from the contract, the host packages and the kit themselves.
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './protocol-schemas.mjs';
import { TypeRoll } from './roll-types.mjs';

const CONTRACT = 'core/extension-host/contract/public.ts';
const PACKAGE = 'core/extension-host/packages/pi-coding-agent.ts';
const KIT = 'core/testing/public.ts';
/** What messages are made of. */
const WORDS = ['core/protocol/content.ts', 'core/protocol/messages.ts'];
/** The other host packages: their values, and types that the existing ones have. */
const OTHERS = {
  'pi-ai': `export type { AgentMessage, AssistantMessage, AssistantMessageEvent, ImageContent, TextContent, ThinkingContent, ThinkingLevel, ToolCall, ToolResultMessage, Usage, UserMessage } from './extension.js';
export type Message = import('./extension.js').ModelMessage;
export type Model<_A = string> = import('./extension.js').Model;
export type Api = string;
export type Context = any;
export type StreamOptions = any;
export type SimpleStreamOptions = any;
export type Tool = any;
export type OAuthCredentials = any;
export type OAuthLoginCallbacks = any;`,
  'pi-tui': `export interface Component {
  render(width: number): string[];
  invalidate?(): void;
  handleInput?(data: string): void;
}
export interface Focusable {
  focused: boolean;
}
export interface SelectItem {
  value: string;
  label: string;
  description?: string;
}
export type AutocompleteItem = SelectItem;
export type AutocompleteProvider = any;
export type SettingItem = any;
export type EditorTheme = any;
export type MarkdownTheme = any;
export type SelectListTheme = any;
export type SettingsListTheme = any;
export type KeyId = string;`,
  'pi-agent-core': `export type { AgentMessage, AgentToolResult, ThinkingLevel } from './extension.js';
export type AgentTool = any;
export type AgentEvent = any;
export type AgentState = any;`,
};
const HOST = 'core/extension-host/packages';

const HEAD = (what) => `// ${what}. Made by the build.

`;

/** Names the existing package has for these. */
const OTHER_NAMES = {
  ExtensionCommandContext: 'CommandContext',
  ReplacedSessionContext: 'FreshContext',
  ExtensionUIContext: 'ExtensionUI',
  ExtensionHandler: 'EventHandler',
  ToolDefinition: 'ExtensionTool',
  AgentToolResult: 'ExtensionToolResult',
  RegisteredCommand: 'CommandOptions',
};

/** Functions whose types say more here than in the program, which is written without knowing the types of authors. */
const BY_HAND = `/** What the model gives the built-in tools. */
export interface BuiltInToolInputs {
  bash: { command: string; timeout?: number };
  read: { path: string; offset?: number; limit?: number };
  write: { path: string; content: string };
  edit: { path: string; edits: { oldText: string; newText: string }[] };
  grep: { pattern: string; path?: string; glob?: string; ignoreCase?: boolean; literal?: boolean; context?: number; limit?: number };
  find: { pattern: string; path?: string; limit?: number };
  ls: { path?: string; limit?: number };
}

/** True for a call of the tool; tells the compiler what its \`input\` is. Of a tool of your own: \`isToolCallEventType<'deploy', {…}>('deploy', event)\`. */
export declare function isToolCallEventType<N extends keyof BuiltInToolInputs>(
  toolName: N,
  event: ToolCallEvent,
): event is Omit<ToolCallEvent, 'toolName' | 'input'> & { toolName: N; input: BuiltInToolInputs[N] };
export declare function isToolCallEventType<N extends string, I extends Record<string, unknown>>(
  toolName: N,
  event: ToolCallEvent,
): event is Omit<ToolCallEvent, 'toolName' | 'input'> & { toolName: N; input: I };

type ToolResultOf<N extends keyof BuiltInToolInputs> = Omit<ToolResultEvent, 'toolName' | 'input'> & { toolName: N; input: BuiltInToolInputs[N] };
export declare function isBashToolResult(event: ToolResultEvent): event is ToolResultOf<'bash'>;
export declare function isReadToolResult(event: ToolResultEvent): event is ToolResultOf<'read'>;
export declare function isWriteToolResult(event: ToolResultEvent): event is ToolResultOf<'write'>;
export declare function isEditToolResult(event: ToolResultEvent): event is ToolResultOf<'edit'>;
export declare function isGrepToolResult(event: ToolResultEvent): event is ToolResultOf<'grep'>;
export declare function isFindToolResult(event: ToolResultEvent): event is ToolResultOf<'find'>;
export declare function isLsToolResult(event: ToolResultEvent): event is ToolResultOf<'ls'>;

/** Gives the tool back: for the types of its parameters. */
export declare function defineTool<P>(
  tool: Omit<ExtensionTool, 'execute'> & {
    execute(
      toolCallId: string,
      params: P,
      signal: AbortSignal,
      onUpdate: (partial: ExtensionToolResult) => void,
      ctx: ExtensionContext,
    ): ExtensionToolResult | Promise<ExtensionToolResult>;
  },
): ExtensionTool;`;

/** Name -> content. */
export function authorTypes() {
  const names = [CONTRACT, PACKAGE, KIT, ...WORDS, ...Object.keys(OTHERS).map((name) => `${HOST}/${name}.ts`)];
  const files = names.map((file) => path.join(ROOT, file));
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const program = ts.createProgram(files, options);
  const sources = files.map((file) => program.getSourceFile(file));
  const [contract, hostPackage, kit] = sources;
  const words = sources.slice(3, 3 + WORDS.length);
  const others = Object.entries(OTHERS).map(([name, types], at) => {
    const values = valuesOf(program, sources[3 + WORDS.length + at], new TypeRoll(program, ROOT), new Set());
    return [
      `${name}.d.ts`,
      `${HEAD(`Types of what extensions import as @earendil-works/${name}`)}${types}\n\n${VALUES}\n${values}\n`,
    ];
  });
  const testing = new TypeRoll(program, ROOT);
  testing.addExports(kit);
  return new Map([
    ['extension.d.ts', extensionTypes(program, contract, words, hostPackage)],
    ...others,
    [
      'testing.d.ts',
      `${HEAD('Types of pi-platform/testing, the kit for tests of extensions')}${testing.render().replaceAll('http.IncomingHttpHeaders', 'Record<string, string | string[] | undefined>')}\n`,
    ],
  ]);
}

function extensionTypes(program, contract, words, hostPackage) {
  const roll = new TypeRoll(program, ROOT);
  for (const source of [contract, ...words]) roll.addExports(source);
  const table = contract.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === 'EventTable');
  for (const { name } of table.members) {
    const pascal = name.text.replace(/(?:^|_)(\w)/g, (_all, letter) => letter.toUpperCase());
    if (!roll.has(`${pascal}Event`)) roll.write(`${pascal}Event`, `export type ${pascal}Event = EventTable['${name.text}'][0];`);
  }
  for (const [name, ours] of Object.entries(OTHER_NAMES))
    roll.write(
      name,
      ours === 'EventHandler'
        ? `export type ${name}<E = unknown, R = unknown> = EventHandler<E, R>;`
        : `export type ${name} = ${ours};`,
    );
  const byHand = new Set([...BY_HAND.matchAll(/declare function (\w+)/g)].map(([, name]) => name));
  // A tool's parameters are what its author says they are.
  const types = roll.render().replace('params: never', 'params: any');
  const values = valuesOf(program, hostPackage, roll, byHand);
  return `${HEAD('Types of what extensions import as @earendil-works/pi-coding-agent')}${types}\n\n${BY_HAND}\n\n${VALUES}\n${values}\n`;
}

/** Every value a package exports, but those that have their types already. */
function valuesOf(program, source, roll, except) {
  const checker = program.getTypeChecker();
  const texts = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    return except.has(exported.name) || !(symbol.flags & ts.SymbolFlags.Value)
      ? []
      : [valueText(exported.name, symbol, checker, roll)];
  });
  return texts.sort().join('\n');
}

const VALUES = `// Everything else the package has. What takes and gives only plain values is typed; the rest is there, and may be used as documented.`;
const PLAIN = /^(?:Promise|Record|Partial|Readonly|ReadonlyArray|Array|Map|Set|AbortSignal|Uint8Array|Error|Buffer)$/;

function valueText(name, symbol, checker, roll) {
  const type = checker.getTypeOfSymbol(symbol);
  const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  const named = text.replace(/"[^"]*"/g, '').match(/\b[A-Z]\w*/g) ?? [];
  const isPlain = !/import\(|\btypeof\b|\.\.\.$/.test(text) && named.every((one) => PLAIN.test(one) || roll.has(one));
  // A class can also be a type.
  const [made] = type.getConstructSignatures();
  if (made) {
    const isComponent = made.getReturnType().getProperty('render') !== undefined;
    const members = [
      'constructor(...args: any[]);',
      ...(isComponent ? ['render(width: number): string[];'] : []),
      '[member: string]: any;',
      'static [member: string]: any;',
    ];
    return `export declare class ${name} {\n  ${members.join('\n  ')}\n}`;
  }
  if (isPlain) return `export declare const ${name}: ${text};`;
  return `export declare const ${name}: ${type.getCallSignatures().length > 0 ? '(...args: any[]) => any' : 'any'};`;
}
