import { describe, expect, it } from 'vitest';
import { ExtensionRecord } from '../../../core/extension-host/host/extension-record.js';
import { ExtensionTools } from '../../../core/extension-host/host/extension-tools.js';
import { type Naming, NamingRules } from '../../../core/extension-host/host/naming.js';

const NONE = { events: [], commands: [], flags: [], providers: [] };

function withTools(name: string, tools: string[], source = 'local'): ExtensionRecord {
  const path = `/ext/${name}.ts`;
  const sourceInfo = { path, source, scope: 'user', origin: 'top-level' };
  const record = new ExtensionRecord({ name, path, level: 'trusted', sourceInfo } as ConstructorParameters<
    typeof ExtensionRecord
  >[0]);
  record.registerAll({
    ...NONE,
    tools: tools.map((tool) => ({ name: tool, description: `${tool} of ${name}`, parameters: {} })),
  });
  return record;
}

function offered(records: ExtensionRecord[], rules?: Record<string, Naming>) {
  const { tools, collisions } = new ExtensionTools(() => undefined, new NamingRules(rules)).offered(records);
  return {
    tools: tools.map(({ tool }) => `${tool.name}: ${tool.description}`),
    collisions: collisions.map(({ name, winner, loser }) => `${name}: ${winner.name} before ${loser.name}`),
  };
}

describe('G15: two extensions with a tool of one name', () => {
  const first = withTools('first', ['search', 'other']);
  const second = withTools('second', ['search'], 'npm:@x/second');

  it('G15: the first in rank has it, and the other is named', () => {
    expect(offered([first, second])).toEqual({
      tools: ['search: search of first', 'other: other of first'],
      collisions: ['search: first before second'],
    });
  });

  it('G15: a setting prefers one, by the source of its package, its path or its name', () => {
    for (const key of ['npm:@x/second', '/ext/second.ts', 'second']) {
      expect(offered([first, second], { [key]: { prefer: true } }).tools).toContain('search: search of second');
    }
  });

  it('G15: a setting gives one another name', () => {
    expect(offered([first, second], { second: { tools: { search: 'search2' } } })).toEqual({
      tools: ['search: search of first', 'other: other of first', 'search2: search of second'],
      collisions: [],
    });
  });

  it('G15: a setting turns one off', () => {
    expect(offered([first, second], { first: { tools: { search: false } } })).toEqual({
      tools: ['other: other of first', 'search: search of second'],
      collisions: [],
    });
  });

  it('takes names of prototypes for what they are', () => {
    expect(offered([withTools('odd', ['constructor', 'toString'])], { odd: { tools: {} } }).tools).toHaveLength(2);
  });
});
