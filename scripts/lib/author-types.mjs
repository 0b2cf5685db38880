// dist/types/: what editors and compilers of extension authors read. `extension.d.ts` stands for the package of the existing program that
// extensions import, `testing.d.ts` for the kit. Made from the contract, the host package and the kit themselves.
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './protocol-schemas.mjs';
import { TypeRoll } from './roll-types.mjs';

const CONTRACT = 'core/extension-host/contract/public.ts';
const PACKAGE = 'core/extension-host/packages/pi-coding-agent.ts';
const KIT = 'core/testing/public.ts';

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
  const files = [CONTRACT, PACKAGE, KIT].map((file) => path.join(ROOT, file));
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const program = ts.createProgram(files, options);
  const [contract, hostPackage, kit] = files.map((file) => program.getSourceFile(file));
  const testing = new TypeRoll(program, ROOT);
  testing.addExports(kit);
  return new Map([
    ['extension.d.ts', extensionTypes(program, contract, hostPackage)],
    [
      'testing.d.ts',
      `${HEAD('Types of pi-platform/testing, the kit for tests of extensions')}${testing.render().replaceAll('http.IncomingHttpHeaders', 'Record<string, string | string[] | undefined>')}\n`,
    ],
  ]);
}

function extensionTypes(program, contract, hostPackage) {
  const roll = new TypeRoll(program, ROOT);
  roll.addExports(contract);
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
  const checker = program.getTypeChecker();
  const values = checker.getExportsOfModule(checker.getSymbolAtLocation(hostPackage)).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    return byHand.has(exported.name) || !(symbol.flags & ts.SymbolFlags.Value)
      ? []
      : [valueText(exported.name, symbol, checker, roll)];
  });
  return `${HEAD('Types of what extensions import as @earendil-works/pi-coding-agent')}${roll.render()}\n\n${BY_HAND}\n\n${VALUES}\n${values.sort().join('\n')}\n`;
}

const VALUES = `// Everything else the package has. What takes and gives only plain values is typed; the rest is there, and may be used as documented.`;
const PLAIN = /^(?:Promise|Record|Partial|Readonly|ReadonlyArray|Array|Map|Set|AbortSignal|Uint8Array|Error|Buffer)$/;

function valueText(name, symbol, checker, roll) {
  const type = checker.getTypeOfSymbol(symbol);
  const text = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  const named = text.replace(/"[^"]*"/g, '').match(/\b[A-Z]\w*/g) ?? [];
  const isPlain = !/import\(|\btypeof\b|\.\.\.$/.test(text) && named.every((one) => PLAIN.test(one) || roll.has(one));
  // A class can also be a type.
  if (type.getConstructSignatures().length > 0)
    return `export declare class ${name} {\n  constructor(...args: any[]);\n  [member: string]: any;\n  static [member: string]: any;\n}`;
  if (isPlain) return `export declare const ${name}: ${text};`;
  return `export declare const ${name}: ${type.getCallSignatures().length > 0 ? '(...args: any[]) => any' : 'any'};`;
}
