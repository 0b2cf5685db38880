import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';

/** One use of a member: what it gives where somebody can answer (with `records` for the client), and elsewhere. */
interface Use {
  member: string;
  /** Source of the call's arguments. */
  args: string;
  rpc: unknown;
  elsewhere: unknown;
  /** Fields of the record the client gets. */
  record?: object;
  /** Needs a terminal: said once on stderr. */
  degraded?: true;
}

const NONE = 'undefined';
const sent = (member: string, args: string, record: object): Use => ({ member, args, rpc: NONE, elsewhere: NONE, record });
const same = (member: string, args: string, value: unknown): Use => ({ member, args, rpc: value, elsewhere: value });
const degraded = (member: string, args: string, value: unknown = NONE): Use => ({ ...same(member, args, value), degraded: true });
const dialog = (member: string, args: string, record: object, rpc: unknown, elsewhere: unknown): Use => ({
  member,
  args,
  rpc,
  elsewhere,
  record: { method: member, ...record },
});

const USES: readonly Use[] = [
  dialog('select', `'Which?', ['a', 'b']`, { title: 'Which?', options: ['a', 'b'] }, 'answer', NONE),
  dialog('confirm', `'Sure?', 'It is final.'`, { title: 'Sure?', message: 'It is final.' }, true, false),
  dialog('input', `'Name?', 'yours'`, { title: 'Name?', placeholder: 'yours' }, 'answer', NONE),
  dialog('editor', `'Text?', 'begin'`, { title: 'Text?', prefill: 'begin' }, 'answer', NONE),
  sent('notify', `'Hello', 'warning'`, { method: 'notify', message: 'Hello', notifyType: 'warning' }),
  sent('setStatus', `'key', 'busy'`, { method: 'setStatus', statusKey: 'key', statusText: 'busy' }),
  sent('setWidget', `'key', ['one', 'two']`, { method: 'setWidget', widgetKey: 'key', widgetLines: ['one', 'two'] }),
  sent('setTitle', `'Title'`, { method: 'setTitle', title: 'Title' }),
  sent('setEditorText', `'text'`, { method: 'set_editor_text', text: 'text' }),
  sent('pasteToEditor', `'pasted'`, { method: 'set_editor_text', text: 'pasted' }),
  degraded('setWidget', `'key', () => ({})`),
  degraded('custom', `() => ({})`),
  degraded('onTerminalInput', `() => undefined`, 'function'),
  degraded('setFooter', `() => ({})`),
  degraded('setHeader', `() => ({})`),
  degraded('setEditorComponent', `() => ({})`),
  degraded('addAutocompleteProvider', `() => ({})`),
  degraded('setWorkingMessage', `'working'`),
  degraded('setWorkingVisible', `false`),
  degraded('setWorkingIndicator', `{}`),
  degraded('setHiddenThinkingLabel', `'thinking'`),
  degraded('setToolsExpanded', `true`),
  same('getEditorText', '', ''),
  same('getEditorComponent', '', NONE),
  same('getToolsExpanded', '', false),
  same('getAllThemes', '', []),
  same('getTheme', `'dark'`, NONE),
  same('setTheme', `'dark'`, { success: false, error: expect.stringMatching(/terminal/) }),
];

/** Calls everything twice and shows what came of it: a notice in rpc mode, a line on stderr in every mode. */
const EXTENSION = `
const shown = (value: unknown) => value === undefined ? 'undefined' : typeof value === 'function' ? 'function' : value;
export default (pi: any) => {
  pi.on('input', async (_event: any, { ui, mode, hasUI }: any) => {
    const results: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      ${USES.map(({ member, args }) => `results.push(shown(await ui.${member}(${args})));`).join('\n      ')}
    }
    const members = [...Object.keys(ui), ...Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(ui)))];
    console.log('REPORT ' + JSON.stringify({ mode, hasUI, results, members, bold: ui.theme.bold('x') }));
  });
};`;

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox({ files: { 'ui.ts': EXTENSION } });
});
afterEach(() => sandbox.remove());

const COMMON = ['--no-session', '--provider', 'offline', '-e', 'ui.ts'];

/** What the extension printed, and each line that says a member did nothing. */
function reportIn(stderr: string): { report: Json; told: string[] } {
  const lines = stderr.split('\n');
  const logged = lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line).message] : []));
  const report = logged.find((message) => message.startsWith('REPORT '));
  return {
    report: JSON.parse(report.slice('REPORT '.length)),
    told: lines.flatMap((line) => /used (ctx\.ui\.\w+)/.exec(line)?.[1] ?? []),
  };
}

const values = (key: 'rpc' | 'elsewhere'): unknown[] => [...USES, ...USES].map((use) => use[key]);
const degradedMembers = USES.flatMap(({ member, degraded: is }) => (is ? [`ctx.ui.${member}`] : []));

describe('every member of ctx.ui', { timeout: 60_000 }, () => {
  it('G18: asks or shows in rpc mode, or degrades and says so once', async () => {
    const pi = new PiProcess(sandbox, ['--mode', 'rpc', ...COMMON]);
    pi.send({ type: 'prompt', message: 'hello' });
    let from = 0;
    for (const { record } of [...USES, ...USES]) {
      if (!record) continue;
      const request = await pi.find(({ type }) => type === 'extension_ui_request', from);
      expect(request).toMatchObject(record);
      from = pi.records.indexOf(request) + 1;
      if (['select', 'input', 'editor'].includes(request.method))
        pi.send({ type: 'extension_ui_response', id: request.id, value: 'answer' });
      if (request.method === 'confirm') pi.send({ type: 'extension_ui_response', id: request.id, confirmed: true });
    }
    await pi.find(({ type }) => type === 'agent_settled');
    await pi.end();
    const { report, told } = reportIn(pi.stderr);
    expect(report).toMatchObject({ mode: 'rpc', hasUI: true, results: values('rpc') });
    expect(told.sort()).toEqual(degradedMembers.sort());
    const tested = new Set(['theme', ...USES.map(({ member }) => member)]);
    expect(report.members.filter((name: string) => !tested.has(name) && !(name in Object.prototype))).toEqual([]);
  });

  it.each(['json', 'print'])('G18: degrades in %s mode and says so once', async (mode) => {
    const { stderr, stdout } = await runPi(sandbox, [...(mode === 'json' ? ['--mode', 'json'] : ['-p']), ...COMMON, 'hello']);
    const { report, told } = reportIn(stderr);
    expect(report).toMatchObject({ mode, hasUI: false, results: values('elsewhere') });
    expect(told.sort()).toEqual(degradedMembers.sort());
    for (const member of ['select', 'confirm', 'input', 'editor'])
      expect(stderr.match(new RegExp(`asked with ctx\\.ui\\.${member}`, 'g'))).toHaveLength(1);
    expect(stdout).not.toContain('extension_ui');
  });
});
