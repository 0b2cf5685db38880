import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../core/protocol/tool.js';
import type { BashToolDetails } from '../../../core/tools/bash.js';
import { DEFAULT_MAX_BYTES } from '../../../core/tools/output-limits.js';
import { textOf, until, workbench } from './support.js';

const detailsOf = (result: ToolResult): BashToolDetails | undefined => result.details as BashToolDetails | undefined;

describe('bash', () => {
  it('gives the output, and says so when there is none', async () => {
    const { call } = workbench();
    expect(await call('bash', { command: 'echo out; echo err >&2' })).toEqual({
      content: [{ type: 'text', text: 'out\nerr\n' }],
    });
    expect(await call('bash', { command: 'true' })).toEqual({ content: [{ type: 'text', text: '(no output)' }] });
  });

  it('makes an error of a non-zero exit, with output and code', async () => {
    const { call } = workbench();
    expect(await call('bash', { command: 'echo partial; exit 5' })).toEqual({
      content: [{ type: 'text', text: 'partial\n\nCommand exited with code 5' }],
      isError: true,
    });
    expect(textOf(await call('bash', { command: 'exit 7' }))).toBe('Command exited with code 7');
    expect(textOf(await call('bash', { command: 'kill -KILL $$' }))).toBe('Command was killed by SIGKILL');
  });

  it('ends a command at its timeout, in seconds', async () => {
    const { call, path } = workbench();
    const result = await call('bash', { command: `echo before; sleep 607; touch ${path('after')}`, timeout: '0.2' });
    expect(result).toEqual({ content: [{ type: 'text', text: 'before\n\nCommand timed out after 0.2 seconds' }], isError: true });
    expect(existsSync(path('after'))).toBe(false);
  });

  it('takes a timeout of nothing for none, and one beyond any timer', async () => {
    const { call } = workbench();
    for (const timeout of [0, -1, 1e12, null]) expect(textOf(await call('bash', { command: 'echo ok', timeout }))).toBe('ok\n');
  });

  it('keeps the output of an aborted command', async () => {
    const { call } = workbench();
    const abort = new AbortController();
    const updates: ToolResult[] = [];
    const done = call(
      'bash',
      { command: 'echo started; sleep 608' },
      { signal: abort.signal, onUpdate: (update) => updates.push(update) },
    );
    await until(() => updates.some((update) => textOf(update).includes('started')));
    abort.abort();
    expect(await done).toEqual({ content: [{ type: 'text', text: 'started\n\nCommand aborted' }], isError: true });
  });

  it('reports progress: empty first, then everything so far, the last before the result', async () => {
    const { call, path } = workbench();
    const updates: ToolResult[] = [];
    const command = `echo one; until [ -e ${path('go')} ]; do sleep 0.02; done; echo two`;
    const done = call('bash', { command }, { onUpdate: (update) => updates.push(update) });
    await until(() => updates.length >= 2);
    call('write', { path: 'go', content: '' });
    await done;
    expect(updates[0]).toEqual({ content: [] });
    expect(updates[1]).toEqual({
      content: [{ type: 'text', text: 'one\n' }],
      details: { truncation: null, fullOutputPath: null },
    });
    expect(textOf(updates.at(-1) ?? { content: [] })).toBe('one\ntwo\n');
  });

  it('G35: progress is bounded by the output limit and does not grow in number with the output', async () => {
    const { call } = workbench();
    const updates: ToolResult[] = [];
    await call('bash', { command: 'seq 1 300000' }, { onUpdate: (update) => updates.push(update) });
    for (const update of updates) expect(Buffer.byteLength(textOf(update))).toBeLessThanOrEqual(DEFAULT_MAX_BYTES);
    expect(detailsOf(updates.at(-1) ?? { content: [] })?.fullOutputPath).toMatch(/pi-bash-/);
  });

  it('G35: says which lines it shows and where the rest is', async () => {
    const { call } = workbench();
    const result = await call('bash', { command: 'seq 1 20000' });
    const path = detailsOf(result)?.fullOutputPath ?? '';
    expect(textOf(result).startsWith('18001\n')).toBe(true);
    expect(
      textOf(result).endsWith(`20000\n\n[Output of 106.3KB cut: this is lines 18001-20000 of 20000. Full output: ${path}]`),
    ).toBe(true);
    expect(result.details).toMatchObject({
      truncation: { truncated: true, truncatedBy: 'lines', totalLines: 20000, outputLines: 2000 },
    });
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(20001);
  });

  it('G35: says so when not even one line fits', async () => {
    const { call } = workbench();
    const result = await call('bash', { command: 'echo first; head -c 200000 /dev/zero | tr "\\0" x; exit 2' });
    expect(textOf(result)).toMatch(
      /x\n\n\[Output of 195\.3KB cut: this is the last 50KB of line 2\. Full output: .*\]\n\nCommand exited with code 2$/,
    );
    expect(result.isError).toBe(true);
  });

  it('gives the session to each command as it is at that moment', async () => {
    let session: Record<string, string> = { PI_MODEL: 'first', PI_SESSION_FILE: '/a' };
    const { call, env } = workbench({ sessionEnv: () => session });
    env.PI_SESSION_FILE = 'inherited';
    expect(textOf(await call('bash', { command: 'echo $PI_MODEL $PI_SESSION_FILE' }))).toBe('first /a\n');
    session = { PI_MODEL: 'second' };
    expect(textOf(await call('bash', { command: 'echo $PI_MODEL [$PI_SESSION_FILE]' }))).toBe('second []\n');
  });

  it('runs several commands side by side', async () => {
    const { call, path } = workbench();
    const meet = (mine: string, other: string) =>
      call('bash', { command: `touch ${path(mine)}; until [ -e ${path(other)} ]; do sleep 0.01; done; echo met` });
    for (const result of await Promise.all([meet('a', 'b'), meet('b', 'a')])) expect(textOf(result)).toBe('met\n');
  });
});
