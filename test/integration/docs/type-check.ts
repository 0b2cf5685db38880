import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PUBLIC = path.join(ROOT, 'core/extension-host/contract/public.ts');

/** What examples import of `pi-ai`, as types: the package has none of its own here. */
const PI_AI = `
export declare function fauxAssistantMessage(text: string): Record<string, unknown>;
export declare function createAssistantMessageEventStream(): { push(step: Record<string, unknown>): void };
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
  baseUrl: ROOT,
  paths: {
    '@earendil-works/pi-coding-agent': ['core/extension-host/contract/public.ts'],
    '@earendil-works/pi-ai': ['test/integration/docs/pi-ai.virtual.d.ts'],
  },
};

/** What the compiler says of these extensions: nothing, when they use the API as it is. */
export function typeProblems(files: readonly { name: string; text: string }[]): string[] {
  const virtual = new Map(files.map(({ name, text }) => [path.join(ROOT, 'test/integration/docs', name), text]));
  const names = [...virtual.keys()];
  virtual.set(path.join(ROOT, 'test/integration/docs/pi-ai.virtual.d.ts'), PI_AI);
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => virtual.has(file) || fileExists(file);
  host.readFile = (file) => virtual.get(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = virtual.get(file);
    return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram(names, OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const at = file && start !== undefined ? `:${file.getLineAndCharacterOfPosition(start).line + 1}` : '';
    return `${path.basename(file?.fileName ?? '')}${at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

export interface PublicTypes {
  /** Event -> names of its members but `type`, and of what may be returned: undefined where nothing may, `anything` where all may. */
  events: Map<string, { carries: string[]; returns: string[] | undefined | 'anything' }>;
  /** Names of the members of an interface. */
  membersOf: (name: string) => string[];
}

/** What the public contract says, read from its types. */
export function publicTypes(): PublicTypes {
  const program = ts.createProgram([PUBLIC], OPTIONS);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(PUBLIC);
  if (!source) throw new Error(`${PUBLIC} can't be read`);
  const typeOf = (name: string): ts.Type => {
    const found = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
    if (!found) throw new Error(`public.ts has no interface ${name}`);
    return checker.getTypeAtLocation(found);
  };
  const names = (type: ts.Type): string[] => [
    ...new Set((type.isUnion() ? type.types : [type]).flatMap((one) => one.getProperties().map((member) => member.name))),
  ];
  const events = new Map(
    typeOf('EventTable')
      .getProperties()
      .map((member) => {
        const [event, answer] = checker.getTypeArguments(checker.getTypeOfSymbolAtLocation(member, source) as ts.TypeReference);
        if (!event || !answer) throw new Error(`EventTable.${member.name} is no pair`);
        const returns =
          answer.flags & ts.TypeFlags.Never
            ? undefined
            : answer.flags & ts.TypeFlags.Unknown
              ? ('anything' as const)
              : names(answer);
        return [member.name, { carries: names(event).filter((name) => name !== 'type'), returns }];
      }),
  );
  return { events, membersOf: (name) => names(typeOf(name)) };
}
