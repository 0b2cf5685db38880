// Gathers the declarations an outsider needs into one file that imports nothing, for editors and compilers of authors.
import path from 'node:path';
import ts from 'typescript';

/** Types of the schema library are written out as what they come to: authors do not have it. */
const EXPAND = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.NoTypeReduction;

export class TypeRoll {
  #checker;
  #core;
  /** Name -> text, in the order they were reached. */
  #texts = new Map();
  #symbols = new Map();
  /** Names whose text is an expansion. */
  #expanded = new Map();

  constructor(program, root) {
    this.#checker = program.getTypeChecker();
    this.#core = `${path.join(root, 'core')}${path.sep}`;
  }

  has(name) {
    return this.#texts.has(name);
  }

  /** Text of our own, such as a name the existing program has for something. */
  write(name, text) {
    this.#texts.set(name, text);
  }

  /** Every export of a file that is a type, or a function. */
  addExports(source) {
    for (const symbol of this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(source))) this.#add(symbol);
  }

  /** One expansion where another one holds it is its name. */
  render() {
    const longest = [...this.#expanded].filter(([, text]) => text.length > 30).sort((a, b) => b[1].length - a[1].length);
    const named = [...this.#texts].map(([name, text]) => {
      let short = text;
      for (const [other, long] of longest) if (other !== name) short = short.replaceAll(long, other);
      return short;
    });
    return named.join('\n\n');
  }

  #add(given) {
    const symbol = given.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(given) : given;
    const declarations = (symbol.declarations ?? []).filter((one) => one.getSourceFile().fileName.startsWith(this.#core));
    const [first] = declarations;
    if (!first) return;
    const { name } = symbol;
    const known = this.#symbols.get(name);
    if (known !== undefined && known !== symbol) throw new Error(`Two types are called ${name}`);
    if (known !== undefined) return;
    this.#symbols.set(name, symbol);
    if (ts.isInterfaceDeclaration(first)) this.#keep(name, first);
    else if (ts.isTypeAliasDeclaration(first)) this.#alias(name, first, symbol);
    else if (ts.isFunctionDeclaration(first)) this.#function(name, declarations);
    else if (!ts.isVariableDeclaration(first)) throw new Error(`${name} is neither a type nor a function`);
  }

  #keep(name, node) {
    this.#texts.set(name, `${comment(node)}export ${node.getText().replace(/^export\s+/, '')}`);
    this.#visit(node);
  }

  #alias(name, node, symbol) {
    if (!/\b(?:z\.\w+<|Infer<|typeof\b)/.test(node.type.getText())) return this.#keep(name, node);
    const text = this.#checker.typeToString(this.#checker.getDeclaredTypeOfSymbol(symbol), undefined, EXPAND);
    if (text.includes('import(')) throw new Error(`${name} can't be written out: ${text}`);
    this.#expanded.set(name, text);
    this.#texts.set(name, `${comment(node)}export type ${name} = ${text};`);
  }

  #function(name, declarations) {
    const parts = declarations.map((node) => {
      const signature = this.#checker.getSignatureFromDeclaration(node);
      const text = this.#checker.signatureToString(signature, undefined, ts.TypeFormatFlags.NoTruncation);
      this.#visit(node, node.body);
      return `${comment(node)}export declare function ${name}${text};`;
    });
    this.#texts.set(name, parts.join('\n'));
  }

  /** What a declaration names is needed too. */
  #visit(node, except) {
    ts.forEachChild(node, (child) => {
      if (child === except) return;
      if (ts.isTypeReferenceNode(child) || ts.isExpressionWithTypeArguments(child)) {
        const symbol = this.#checker.getSymbolAtLocation(child.typeName ?? child.expression);
        if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter)) this.#add(symbol);
      }
      this.#visit(child);
    });
  }
}

function comment(node) {
  const text = node.getSourceFile().text;
  const docs = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).map(({ pos, end }) => text.slice(pos, end));
  const last = docs.at(-1);
  return last?.startsWith('/**') ? `${last}\n` : '';
}
