import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bundledFolder } from '../../resources/bundled-folder.js';
import { type ImportedName, lineAt, type Site, type SourceFile } from './module-graph.js';

/** A use of something that a terminal would be needed for, and what it does without. */
export interface TerminalUse extends Site {
  member: string;
  effect: string;
}

const NOTHING = 'does nothing without a terminal';
/** Members of `ctx.ui`. Source: core/extension-host/worker/ui.ts. */
const UI_MEMBERS: Readonly<Record<string, string>> = {
  custom: 'answers undefined without a terminal',
  onTerminalInput: 'never hears anything without a terminal',
  setFooter: NOTHING,
  setHeader: NOTHING,
  setEditorComponent: NOTHING,
  addAutocompleteProvider: NOTHING,
  setWorkingMessage: NOTHING,
  setWorkingVisible: NOTHING,
  setWorkingIndicator: NOTHING,
  setHiddenThinkingLabel: NOTHING,
  setToolsExpanded: NOTHING,
  getToolsExpanded: 'is always false',
  getEditorText: 'is always empty',
  getEditorComponent: 'is always undefined',
  getAllThemes: 'is always empty',
  getTheme: 'is always undefined',
  setTheme: 'answers that there is no terminal',
};
/** Members of `pi`. */
const PI_MEMBERS: Readonly<Record<string, string>> = {
  registerShortcut: 'is kept, and never pressed, without a terminal',
  registerMessageRenderer: 'is kept, and never asked, without a terminal',
  registerEntryRenderer: 'is kept, and never asked, without a terminal',
  registerMarkdownTransformer: 'is kept, and never asked, without a terminal',
};

/** Every place that uses a member which needs a terminal, as far as the text tells. */
export function terminalUses(files: readonly SourceFile[]): TerminalUse[] {
  const ui = new RegExp(`\\bui\\s*\\??\\.\\s*(${Object.keys(UI_MEMBERS).join('|')})\\s*(?:<[^>()]*>)?\\s*\\??\\.?\\(`, 'g');
  const pi = new RegExp(`\\.\\s*(${Object.keys(PI_MEMBERS).join('|')})\\s*(?:<[^>()]*>)?\\s*\\(`, 'g');
  return files.flatMap(({ path: file, text, code }) =>
    [...code.matchAll(ui), ...code.matchAll(pi)]
      .map(({ index, 1: member = '' }) => ({
        member: Object.hasOwn(PI_MEMBERS, member) ? `pi.${member}` : `ctx.ui.${member}`,
        effect: PI_MEMBERS[member] ?? UI_MEMBERS[member] ?? NOTHING,
        path: file,
        line: lineAt(text, index),
      }))
      .sort((one, other) => one.line - other.line),
  );
}

export interface UnsupportedName extends ImportedName {
  instead: string;
}

/** Imports of names that exist so that importing them works, and throw when they are used. */
export function unsupportedNames(files: readonly SourceFile[]): UnsupportedName[] {
  const names = files.flatMap((file) => file.names).filter(({ specifier }) => PACKAGE.test(specifier));
  if (names.length === 0) return [];
  const known = unsupportedByPackage();
  return names.flatMap((one) => {
    const instead = known.get(PACKAGE.exec(one.specifier)?.[1] ?? '')?.get(one.name);
    return instead === undefined ? [] : [{ ...one, instead }];
  });
}

const PACKAGE = /^@(?:earendil-works|mariozechner)\/(.+)$/;

/** Package -> name -> what to use. The page is made from the packages themselves, and comes with the program. */
function unsupportedByPackage(): Map<string, Map<string, string>> {
  const page = readFileSync(path.join(bundledFolder(), 'docs', 'host-packages.md'), 'utf8');
  const found = new Map<string, Map<string, string>>();
  for (const section of page.split(/^## /m).slice(1)) {
    const names = new Map<string, string>();
    for (const [, list = '', instead = ''] of section.matchAll(/^\| (`.*?`) \| (.*) \|$/gm))
      for (const [, name = ''] of list.matchAll(/`([^`]+)`/g)) names.set(name, instead.replaceAll('\\|', '|'));
    found.set(section.slice(0, section.indexOf('\n')).trim(), names);
  }
  const same = found.get('pi-ai');
  if (same) found.set('pi-ai/compat', same);
  return found;
}

/** Where a name is registered, as `pi.registerTool({ name: 'x' })`; undefined where the text does not tell. */
export function siteOfName(files: readonly SourceFile[], call: RegExp, name: string): Site | undefined {
  for (const { path: file, text, code } of files) {
    for (const match of code.matchAll(call)) {
      const end = match.index + match[0].length + REACH;
      const found = new RegExp(`['"\`]${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"\`]`).exec(text.slice(match.index, end));
      if (found) return { path: file, line: lineAt(text, match.index + found.index) };
    }
  }
  return undefined;
}

/** The name of a tool stands near its call. */
const REACH = 400;
