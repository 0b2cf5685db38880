// docs/extension-api.md: every event and member that extensions have, from the contract they are written against.
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { importTypeScript, ROOT } from './protocol-schemas.mjs';

export const EXTENSION_API_PAGE = 'docs/extension-api.md';
const CONTRACT = 'core/extension-host/contract/public.ts';

/** Interface -> its heading. Those that only name a shape are shown in full. */
const SECTIONS = {
  ExtensionAPI: 'pi',
  ExtensionContext: 'ctx',
  CommandContext: 'ctx in commands',
  FreshContext: 'ctx in withSession',
  ExtensionUI: 'ctx.ui',
  ReadonlySessionManager: 'ctx.sessionManager',
  ModelRegistryApi: 'ctx.modelRegistry',
  EventBusApi: 'pi.events',
  ThemeApi: 'ctx.ui.theme',
};
const SHAPES = [
  'ToolCallEvent',
  'ToolResultEvent',
  'InputEvent',
  'BeforeAgentStartEvent',
  'ExtensionTool',
  'ExtensionToolResult',
  'CommandOptions',
  'FlagOptions',
  'ProviderConfig',
  'NewMessage',
  'BashOperations',
  'ExecResult',
  'DialogOptions',
  'ContextUsage',
];

const HEAD = `# The extension API

Every event and every member, generated from the contract that the program itself is checked against. What they are for, with examples, is in
[extensions.md](extensions.md). In rpc mode a client answers dialogs and shows notices; in json and print mode nobody is there. Where the two
columns are empty, a member does the same in every mode.
`;

export async function extensionApiReference() {
  const source = ts.createSourceFile(CONTRACT, fs.readFileSync(path.join(ROOT, CONTRACT), 'utf8'), ts.ScriptTarget.Latest, true);
  const interfaces = new Map(source.statements.filter(ts.isInterfaceDeclaration).map((node) => [node.name.text, node]));
  const find = (name) => {
    const node = interfaces.get(name);
    if (!node) throw new Error(`${CONTRACT} has no ${name}`);
    return node;
  };
  const { HOOKS, hookSpec } = await importTypeScript(`export * from './core/extension-host/contract/hooks.ts';`, ROOT);
  const parts = [
    HEAD,
    eventsSection(find('EventTable'), HOOKS, hookSpec),
    ...Object.entries(SECTIONS).map(([name, title]) => membersSection(find(name), title)),
    shapesSection(SHAPES.map(find)),
  ];
  return `${parts.join('\n').trimEnd()}\n`;
}

const cell = (text) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const code = (text) => (text === '' ? '' : `\`${text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()}\``);
const table = (head, rows) =>
  ['', ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`), ''].join('\n');

function tagsOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  const tags = Object.fromEntries(
    (doc?.tags ?? []).map((tag) => [tag.tagName.text, ts.getTextOfJSDocComment(tag.comment) ?? '']),
  );
  return { ...tags, text: (ts.getTextOfJSDocComment(doc?.comment) ?? '').replace(/ ?Source:[\s\S]*$/, '') };
}

function eventsSection(node, hooks, hookSpec) {
  const rows = node.members.map((member) => {
    const [carries, answer] = member.type.elements.map((element) => element.getText());
    const name = member.name.getText();
    const { deadlineMs, onFailure } = hookSpec(name);
    const fields = carries.replace(/^Event<'\w+'>(?: & )?/, '').replace(/^ToolCallRef & /, 'toolCallId, toolName, ');
    const failing = name in hooks ? (onFailure === 'block' ? 'refuses the call' : 'changes nothing') : '';
    return [
      `\`${name}\``,
      code(fields),
      answer === 'never' ? '' : code(answer),
      deadlineMs === 0 ? '' : `${deadlineMs / 1000} s`,
      failing,
    ];
  });
  const intro = `\`pi.on(event, (event, ctx) => answer)\`. *Time* is what one handler has; it stands still while a dialog of its extension is open. Where
*answer* is empty, what a handler gives is not looked at. *A failing handler* is one that throws or is late.`;
  return `## Events\n\n${intro}\n${table(['Event', 'carries', 'answer', 'time', 'a failing handler'], rows)}`;
}

function membersSection(node, title) {
  const rows = node.members.map((member) => {
    const { text, rpc = '', headless = '' } = tagsOf(member);
    return [
      code(
        member
          .getText()
          .replace(/;$/, '')
          .replace(/^readonly /, ''),
      ),
      cell(text),
      cell(rpc),
      cell(headless),
    ];
  });
  const hasModes = rows.some(([, , rpc]) => rpc !== '');
  const head = ['Member', '', ...(hasModes ? ['rpc', 'json and print'] : [])];
  const { text } = tagsOf(node);
  return `## ${title}\n${text ? `\n${text}\n` : ''}${table(head, hasModes ? rows : rows.map((row) => row.slice(0, 2)))}`;
}

function shapesSection(nodes) {
  const blocks = nodes.map((node) => `\`\`\`ts\n${node.getText().replace(/^export /, '')}\n\`\`\``);
  return `## Shapes\n\n${blocks.join('\n\n')}\n`;
}
