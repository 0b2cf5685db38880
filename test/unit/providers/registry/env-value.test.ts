import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { escapeEnvValue, missingVariables, resolveEnvValue } from '../../../../core/providers/env-value.js';
import { agentDirWith } from './support.js';

const env = { KEY: 'secret', FOO: 'foo', FOO_BAR: 'foobar', PATH: process.env.PATH };
const resolve = (text: string, deadlineMs?: number): Promise<string | undefined> =>
  resolveEnvValue(text, { env, what: 'test value', ...(deadlineMs === undefined ? {} : { deadlineMs }) });

describe('configured values', () => {
  it.each([
    ['sk-literal', 'sk-literal'],
    ['KEY', 'KEY'],
    ['$KEY', 'secret'],
    ['${KEY}', 'secret'],
    ['pre-${FOO}_BAR-$FOO_BAR!', 'pre-foo_BAR-foobar!'],
    ['$$KEY', '$KEY'],
    ['$!date', '!date'],
    ['a$!b', 'a!b'],
    ['$', '$'],
    ['100$ and $1', '100$ and $1'],
    ['${KEY', '${KEY'],
    ['$$$KEY', '$secret'],
  ])('%j means %j', async (text, value) => {
    expect(await resolve(text)).toBe(value);
  });

  it('have no value while a variable is missing or empty, and name it', async () => {
    expect(await resolve('x-$NOT_THERE')).toBeUndefined();
    expect(missingVariables('$A-${B}-$$C-$KEY', { A: '', KEY: 'k' })).toEqual(['A', 'B']);
    expect(missingVariables('!echo $A', {})).toEqual([]);
  });

  it('survive escaping, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), async (text) => {
        expect(await resolve(escapeEnvValue(text))).toBe(text);
      }),
    );
    expect(await resolve(escapeEnvValue('!echo $KEY'))).toBe('!echo $KEY');
  });

  it('come from a command, with its environment, without its last newline', async () => {
    expect(await resolve('!printf "%s-x\\n" "$KEY"')).toBe('secret-x');
  });

  it.each([
    ['fails', '!echo why >&2; exit 3', /failed \(exit code 3, why\)/],
    ['prints nothing', '!true', /printed nothing/],
    ['is not there', '!no-such-program-at-all', /failed \(exit code 127/],
  ])('are an error when the command %s', async (_, text, message) => {
    await expect(resolve(text)).rejects.toMatchObject({
      code: 'PROVIDER_KEY_COMMAND_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('are an error when the command takes too long, and what it started is gone', async () => {
    const note = path.join(agentDirWith(), 'pid');
    await expect(resolve(`!sleep 1000 & echo $! > '${note}'; wait`, 1500)).rejects.toThrow(/took longer than 1500 ms/);
    const pid = readFileSync(note, 'utf8').trim();
    // A dead process may wait for its new parent to collect it.
    const state = (): string => spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim();
    await vi.waitFor(() => expect(state()).toMatch(/^(Z.*)?$/), 10_000);
  });

  it('G38: an error of a command does not quote the command', async () => {
    await expect(resolve('!echo sk-very-secret >/dev/null; exit 1')).rejects.toThrow(/^(?!.*sk-very-secret)/);
  });
});
