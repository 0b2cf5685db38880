import { describe, expect, it } from 'vitest';
import { HOOKS, hookSpec } from '../../../core/extension-host/contract/hooks.js';
import { MAX_COMMANDS, MAX_FLAGS, MAX_TOOLS } from '../../../core/extension-host/contract/names.js';
import { DEFAULT_HOST_SETTINGS } from '../../../core/extension-host/contract/settings.js';
import { MAX_BODY_BYTES } from '../../../core/extension-host/contract/wire/frames.js';
import { SETTINGS } from '../../../core/resources/setting-table.js';
import { codeNames, readDocument, tableOf, tableUnder } from './doc-blocks.js';
import { publicTypes } from './type-check.js';

const page = readDocument('docs/extensions.md');
const types = publicTypes();
const sorted = (list: Iterable<string>): string[] => [...list].sort();

describe('the table of events in docs/extensions.md', () => {
  const rows = new Map(tableOf(page, 'events').map(([event = '', ...cells]) => [codeNames(event)[0] ?? '', cells]));

  it('has every event of the contract, in its order', () => {
    expect([...rows.keys()]).toEqual([...types.events.keys()]);
    expect(Object.keys(HOOKS).filter((hook) => !rows.has(hook))).toEqual([]);
  });

  it.each([...types.events])(
    'says of %s what it carries, what may be returned and how long a handler has',
    (event, { carries, returns }) => {
      const [carried = '', returned = '', deadline] = rows.get(event) ?? [];
      expect(sorted(codeNames(carried).filter((name) => name !== 'null'))).toEqual(sorted(carries));
      if (returns === undefined) expect(returned).toBe('–');
      else if (returns !== 'anything') expect(sorted(codeNames(returned))).toEqual(sorted(returns));
      const { deadlineMs } = hookSpec(event);
      expect(deadline).toBe(deadlineMs === 0 ? 'none' : `${deadlineMs / 1_000} s`);
    },
  );
});

const namesUnder = (heading: string): string[] =>
  sorted(tableUnder(page, heading).flatMap(([first = '']) => codeNames(first).map((name) => name.replace(/\..*$/, ''))));
const unique = (list: string[]): string[] => [...new Set(list)];

describe('the other tables of docs/extensions.md', () => {
  it('name every member of pi', () => {
    expect(unique(namesUnder('## pi'))).toEqual(sorted(types.membersOf('ExtensionAPI')));
  });

  it('name every member of ctx, of commands too', () => {
    expect(unique(namesUnder('## ctx'))).toEqual(sorted(types.membersOf('CommandContext')));
  });

  it('name every member of ctx.ui', () => {
    expect(unique(namesUnder('### ctx.ui'))).toEqual(sorted(types.membersOf('ExtensionUI')));
  });

  it('name settings that there are', () => {
    const named = tableUnder(page, '## Settings').flatMap(([first = '']) => codeNames(first));
    expect(named).toEqual(['extensions', 'extensionNames', 'extensionTrust', 'dialogTimeoutMs']);
    expect(named.filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
  });

  it('give the limits that hold', () => {
    const limits = new Map(tableOf(page, 'limits').map(([what = '', limit = '']) => [what, limit]));
    const { heapMb, rssMb, loadMs } = DEFAULT_HOST_SETTINGS;
    expect(limits.get('Heap of a thread')).toBe(`${heapMb} MB`);
    expect(limits.get('Memory of the extension host')).toBe(`${rssMb} MB`);
    expect(limits.get('A factory that waits')).toMatch(new RegExp(`^${loadMs / 1_000} s;`));
    expect(limits.get('One frame to the core')).toBe(`${MAX_BODY_BYTES / 1024 / 1024} MB`);
    expect(limits.get('Commands; tools; flags')).toBe(`${MAX_COMMANDS}; ${MAX_TOOLS}; ${MAX_FLAGS}`);
  });
});
