import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Room {
  /** Rooms it may import from. */
  rooms: readonly string[];
  /** Packages it may import, besides `node:*`. */
  packages?: readonly string[];
  /** Files of other rooms it may import although the room as a whole is closed to it. */
  files?: readonly string[];
  /** Files it may name in types only: what it is handed by the composition root. */
  types?: readonly string[];
}

/** The table of rooms in CONTRIBUTING.md. A room may only list rooms above it. */
const ROOMS: Record<string, Room> = {
  base: { rooms: [] },
  protocol: { rooms: ['base'], packages: ['zod'] },
  trust: { rooms: ['base', 'protocol'] },
  session: { rooms: ['base', 'protocol'] },
  export: { rooms: ['base', 'protocol'], packages: ['highlight.js', 'marked', 'sanitize-html'] },
  providers: { rooms: ['base', 'protocol'], packages: ['@anthropic-ai/sdk', 'https-proxy-agent', 'openai', 'proxy-from-env'] },
  tools: { rooms: ['base', 'protocol', 'trust'], packages: ['ajv', 'cross-spawn', 'diff', 'ignore', 'picomatch', 'tinyglobby'] },
  resources: { rooms: ['base', 'protocol', 'trust'], packages: ['gray-matter', 'ignore', 'picomatch', 'tinyglobby'] },
  'extension-host/contract': { rooms: ['base', 'protocol'], packages: ['zod'] },
  'extension-host/worker': {
    rooms: ['extension-host/contract', 'base', 'protocol'],
    packages: ['comlink', 'resolve.exports'],
    // How a list of entries is read is known in one place.
    files: ['core/session/session-view.ts'],
  },
  'extension-host/process': {
    rooms: ['extension-host/contract', 'base', 'protocol'],
    packages: ['comlink', 'esbuild', 'sucrase'],
  },
  'extension-host/host': { rooms: ['extension-host/contract', 'base', 'protocol', 'trust'], packages: ['comlink'] },
  agent: { rooms: ['base', 'protocol'] },
  modes: {
    rooms: ['base', 'protocol'],
    files: ['core/agent/ports.ts'],
    types: ['core/agent/agent.ts', 'core/agent/model-choice.ts', 'core/agent/session-control.ts'],
  },
  'extension-host/packages': {
    rooms: [
      'base',
      'protocol',
      'trust',
      'session',
      'providers',
      'tools',
      'resources',
      'extension-host/contract',
      'extension-host/worker',
      'extension-host/process',
      'extension-host/host',
      'agent',
    ],
    packages: ['*'],
  },
  // For programs that start this one: it shares the protocol with it, and nothing else.
  client: { rooms: ['base', 'protocol'] },
  // A program of its own around the whole: it puts a session together, and nothing in the program knows of it.
  testing: {
    rooms: ['base', 'protocol', 'resources', 'modes'],
    files: ['core/app/compose.ts', 'core/app/version.ts'],
  },
};
/** `core/*.ts` and `core/app/`: the composition root, where everything may meet. */
const COMPOSITION_ROOT = 'app';
/** Everything outside core/ is a stranger: this is all it sees. */
const PUBLIC_FILE = 'core/extension-host/contract/public.ts';

/** Who may write on stdout, and why. */
const STDOUT_WRITERS: Record<string, string> = {
  'core/modes/*/transport.ts': 'the one writer of its mode',
  'core/cli.ts': '--help, --version and --list-models, before any mode starts',
};

interface Import {
  from: string;
  specifier: string;
  /** Path from the root for our own files; undefined for packages and `node:` modules. */
  target: string | undefined;
  typeOnly: boolean;
  line: number;
}

const walk = (folder: string): string[] => {
  const absolute = path.join(ROOT, folder);
  if (!fs.existsSync(absolute)) return [];
  return fs
    .readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((name) => /\.m?ts$/.test(name) && !name.includes('/fixtures/') && !name.includes('/node_modules/'));
};

const sources = new Map(
  [...walk('core'), ...walk('extensions'), ...walk('examples')].map((file) => [
    file,
    ts.createSourceFile(file, fs.readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true),
  ]),
);
const core = [...sources].filter(([file]) => file.startsWith('core/'));

function visit(source: ts.SourceFile, look: (node: ts.Node, line: number) => void): void {
  const step = (node: ts.Node): void => {
    look(node, source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, step);
  };
  step(source);
}

/** Static, re-exporting, dynamic, `require`d and `import('…')` type imports. */
function importsOf(file: string, source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (literal: ts.Node | undefined, typeOnly: boolean, line: number): void => {
    if (!literal || !ts.isStringLiteralLike(literal)) return;
    const specifier = literal.text;
    const relative = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined;
    found.push({ from: file, specifier, target: relative && toSource(relative), typeOnly, line });
  };
  visit(source, (node, line) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false, line);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly, line);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true, line);
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node.moduleReference.expression, node.isTypeOnly, line);
    } else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      if (callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')) {
        add(node.arguments[0], false, line);
      }
    }
  });
  return found;
}

const toSource = (file: string): string => file.replace(/\.(m?)js$/, '.$1ts');
const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
const at = (found: Import): string => `${found.from}:${found.line} imports ${found.specifier}`;

function roomOf(file: string): string | undefined {
  const parts = file.split('/').slice(1, -1);
  if (file.startsWith('core/') && (parts.length === 0 || parts[0] === COMPOSITION_ROOT)) return COMPOSITION_ROOT;
  return [parts.slice(0, 2).join('/'), parts[0]].find((name) => name !== undefined && name in ROOMS);
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function refusal(found: Import): string | undefined {
  const room = roomOf(found.from);
  if (room === COMPOSITION_ROOT || room === undefined || found.specifier.startsWith('node:')) return undefined;
  const allowed = ROOMS[room];
  if (!allowed) return undefined;
  if (found.target === undefined) {
    const name = packageOf(found.specifier);
    return allowed.packages?.some((listed) => listed === '*' || listed === name)
      ? undefined
      : `${at(found)}: not a package of ${room}/`;
  }
  const target = roomOf(found.target);
  if (target === room || (target !== undefined && allowed.rooms.includes(target))) return undefined;
  if (found.typeOnly && allowed.types?.includes(found.target)) return undefined;
  return allowed.files?.includes(found.target) ? undefined : `${at(found)}: ${room}/ may not import ${target ?? 'that'}`;
}

describe('the rooms of core/', () => {
  it('are walked: each file parsed, each import seen', () => {
    expect(core.length).toBeGreaterThan(30);
    expect(imports.filter((found) => found.from === 'core/protocol/validators.ts').map((found) => found.specifier)).toEqual([
      './commands/index.js',
      './generated/names.gen.js',
      './generated/validators.gen.mjs',
      './ui.js',
    ]);
  });

  it('hold every file', () => {
    expect(core.map(([file]) => file).filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('list only rooms above them', () => {
    const order = Object.keys(ROOMS);
    const downward = order.flatMap((room, index) =>
      (ROOMS[room]?.rooms ?? [])
        .filter((other) => order.indexOf(other) < 0 || order.indexOf(other) >= index)
        .map((other) => `${room} -> ${other}`),
    );
    expect(downward).toEqual([]);
  });

  it('import only what their row of the table lists, types included', () => {
    expect(imports.filter((found) => found.from.startsWith('core/')).flatMap((found) => refusal(found) ?? [])).toEqual([]);
  });

  it('import files that exist', () => {
    const missing = imports.filter(
      (found) =>
        found.target !== undefined &&
        !sources.has(found.target) &&
        !fs.existsSync(path.join(ROOT, found.target.replace(/\.mts$/, '.mjs'))),
    );
    expect(missing.map(at)).toEqual([]);
  });

  it('have no cycle of files, types included', () => {
    expect(cycles()).toEqual([]);
  });
});

function cycles(): string[] {
  const edges = new Map<string, string[]>();
  for (const found of imports) {
    if (found.target === undefined) continue;
    edges.set(found.from, [...(edges.get(found.from) ?? []), found.target]);
  }
  const done = new Set<string>();
  const result: string[] = [];
  const search = (file: string, trail: string[]): void => {
    const seenAt = trail.indexOf(file);
    if (seenAt >= 0) {
      result.push([...trail.slice(seenAt), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) search(next, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) search(file, []);
  return result;
}

describe('the running program', () => {
  it('never reaches zod: its checks are compiled beforehand', () => {
    // From every file that is not itself a schema, along imports that exist at runtime.
    const usesZod = (file: string): boolean =>
      imports.some((found) => found.from === file && found.specifier === 'zod' && !found.typeOnly);
    const mayUseZod = (file: string): boolean => /^core\/(protocol|extension-host\/contract)\//.test(file);
    const schemaFiles = new Set<string>(core.map(([file]) => file).filter((file) => mayUseZod(file) && usesZod(file)));
    // The list of commands is nothing but schemas, whatever it imports itself.
    schemaFiles.add('core/protocol/commands/index.ts');
    expect(schemaFiles.size).toBeGreaterThan(5);
    const offenders = imports.filter(
      (found) =>
        found.from.startsWith('core/') &&
        !found.typeOnly &&
        !schemaFiles.has(found.from) &&
        (found.specifier === 'zod' || (found.target !== undefined && schemaFiles.has(found.target))),
    );
    expect(offenders.map(at)).toEqual([]);
  });

  it('G2: writes on stdout in the listed places only', () => {
    const allowed = Object.keys(STDOUT_WRITERS).map(
      (pattern) => new RegExp(`^${pattern.replace(/\./g, '\\.').replace(/\*/g, '[^/]+')}$`),
    );
    const offenders: string[] = [];
    for (const [file, source] of core) {
      if (allowed.some((pattern) => pattern.test(file))) continue;
      visit(source, (node, line) => {
        if (writesStdout(node)) offenders.push(`${file}:${line} ${node.getText(source).slice(0, 60)}`);
      });
    }
    expect(offenders).toEqual([]);
  });

  it('has no `any`', () => {
    const offenders: string[] = [];
    for (const [file, source] of sources) {
      visit(source, (node, line) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) offenders.push(`${file}:${line}`);
      });
    }
    expect(offenders).toEqual([]);
  });
});

function writesStdout(node: ts.Node): boolean {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression: object, name } = node.expression;
    if (ts.isIdentifier(object) && object.text === 'console') return !['error', 'warn', 'trace'].includes(name.text);
    const first = node.arguments[0];
    if (/^(write|writev|writeFile|appendFile)(Sync)?$/.test(name.text) && first && ts.isNumericLiteral(first))
      return first.text === '1';
  }
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'process' &&
    node.name.text === 'stdout'
  );
}

describe('extensions/ and examples/', () => {
  it('import only the public contract, as a stranger would', () => {
    const offenders = imports.filter(
      (found) => !found.from.startsWith('core/') && found.target?.startsWith('core/') && found.target !== PUBLIC_FILE,
    );
    expect(offenders.map(at)).toEqual([]);
  });
});
