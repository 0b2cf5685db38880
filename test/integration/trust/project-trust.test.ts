import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPi, type Sandbox } from '../../support/pi-process.js';
import { ALL_COMMANDS, extensionRan, pi, projectSandbox, session } from './support.js';

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = projectSandbox();
});
afterEach(() => sandbox.remove());

const trustFile = (): unknown => JSON.parse(fs.readFileSync(path.join(sandbox.agentDir, 'trust.json'), 'utf8'));

describe('a project nobody decided about', { timeout: 60_000 }, () => {
  it('loads nothing in rpc mode, and get_diagnostics lists what was left', async () => {
    const { commands, diagnostics } = await session(sandbox);
    expect(commands).toEqual([]);
    expect(extensionRan(sandbox)).toBe(false);
    expect(diagnostics).toEqual([
      {
        kind: 'trust',
        severity: 'info',
        path: sandbox.cwd,
        message: expect.stringContaining(
          'is not trusted: .pi/settings.json, .pi/SYSTEM.md, .pi/extensions, .pi/skills, .pi/prompts, .pi/agent/prompts and .agents/skills were not loaded',
        ),
      },
    ]);
  });

  it.each([['-p'], ['--mode', 'json']])('loads nothing with %s %s, and stderr says so', async (...args) => {
    const { code, stderr } = await runPi(sandbox, [...args, '--no-session', '/from-prompt']);
    expect(code).toBe(0);
    expect(stderr).toContain('is not trusted: .pi/settings.json');
    expect(extensionRan(sandbox)).toBe(false);
  });

  it('loads everything with --approve or -a, for that run', async () => {
    for (const flag of ['--approve', '-a']) expect((await session(sandbox, [flag])).commands).toEqual(ALL_COMMANDS);
    expect(extensionRan(sandbox)).toBe(true);
    expect((await session(sandbox)).commands).toEqual([]);
  });

  it('can not trust itself, and the attempt is reported once it is trusted', async () => {
    // Its own settings say defaultProjectTrust: always.
    expect((await session(sandbox)).commands).toEqual([]);
    const { diagnostics } = await session(sandbox, ['-a']);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ kind: 'settings', message: expect.stringContaining('"defaultProjectTrust"') }),
    );
  });
});

describe('the global setting defaultProjectTrust', { timeout: 60_000 }, () => {
  it('"always" trusts what nobody decided about; --no-approve and -na overrule it', async () => {
    sandbox.remove();
    sandbox = projectSandbox({ defaultProjectTrust: 'always' });
    expect((await session(sandbox)).commands).toEqual(ALL_COMMANDS);
    for (const flag of ['--no-approve', '-na']) expect((await session(sandbox, [flag])).commands).toEqual([]);
    await pi(sandbox, 'untrust');
    expect((await session(sandbox)).commands).toEqual([]);
  });
});

describe('pi trust', { timeout: 60_000 }, () => {
  it('lets the project load, pi untrust does not, and --list tells', async () => {
    expect(await pi(sandbox, 'trust')).toContain(`Trusted ${sandbox.cwd}; it brings .pi/settings.json, `);
    expect(trustFile()).toEqual({ [sandbox.cwd]: true });
    expect((await session(sandbox)).commands).toEqual(ALL_COMMANDS);
    expect(await pi(sandbox, 'untrust')).toBe(`Not trusted: ${sandbox.cwd}\n`);
    expect((await session(sandbox)).commands).toEqual([]);
    await pi(sandbox, 'trust', '..');
    expect(await pi(sandbox, 'trust', '--list')).toBe(`trusted      ${sandbox.root}\nnot trusted  ${sandbox.cwd}\n`);
    expect(await pi(sandbox, 'untrust', '--forget')).toBe(
      `Forgot the decision about ${sandbox.cwd}; that of ${sandbox.root} counts: trusted\n`,
    );
    expect((await session(sandbox)).commands).toEqual(ALL_COMMANDS);
    expect(JSON.parse(await pi(sandbox, 'trust', '--list', '--json'))).toEqual([{ folder: sandbox.root, trusted: true }]);
  });

  it('G37: --pin trusts what is there now: a change is not loaded until it is trusted again', async () => {
    expect(await pi(sandbox, 'trust', '--pin')).toMatch(/as it is now \(\d+ files\)/);
    expect((await session(sandbox)).commands).toEqual(ALL_COMMANDS);
    fs.rmSync(path.join(sandbox.home, 'extension-ran'));
    fs.appendFileSync(path.join(sandbox.cwd, '.pi/extensions/mark.js'), '// changed\n');
    for (const args of [['-p'], ['--mode', 'json']]) {
      const { stderr } = await runPi(sandbox, [...args, '--no-session', 'hello']);
      expect(stderr).toContain('is trusted only as it was when it was pinned: changed: .pi/extensions/mark.js');
    }
    const { commands, diagnostics } = await session(sandbox);
    expect(commands).toEqual([]);
    expect(extensionRan(sandbox)).toBe(false);
    expect(diagnostics[0]).toMatchObject({
      kind: 'trust',
      severity: 'warning',
      message: expect.stringContaining('changed: .pi/extensions/mark.js'),
    });
    const list = await runPi(sandbox, ['trust', '--list']);
    expect(list).toMatchObject({ code: 1, stdout: expect.stringContaining('; changed: .pi/extensions/mark.js\n') });
    await pi(sandbox, 'trust', '--pin');
    expect((await session(sandbox)).commands).toEqual(ALL_COMMANDS);
    expect(await pi(sandbox, 'trust', '--list')).toContain(', unchanged\n');
  });

  it('G37: --pin covers what the settings name outside of .pi', async () => {
    await pi(sandbox, 'trust', '--pin');
    fs.writeFileSync(path.join(sandbox.cwd, 'package/prompts/from-package.md'), 'other\n');
    expect((await session(sandbox)).diagnostics[0].message).toContain('changed: package/prompts/from-package.md');
    await pi(sandbox, 'trust', '--pin');
    fs.writeFileSync(path.join(sandbox.cwd, 'more/another.md'), 'x\n');
    expect((await session(sandbox)).diagnostics[0].message).toContain('new: more/another.md');
    await pi(sandbox, 'trust');
    expect((await session(sandbox)).commands).toEqual(['another', ...ALL_COMMANDS]);
  });

  it.each([
    [['trust', '--pin', '--list'], 2],
    [['trust', 'a', 'b'], 2],
    [['trust', '--json'], 2],
    [['untrust', '--pin'], 2],
    [['trust', 'no-such-folder'], 1],
  ])('%j ends with %i and changes nothing', async (args, code) => {
    const result = await runPi(sandbox, args as string[]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(/^pi (?:un)?trust: /);
    expect(fs.existsSync(path.join(sandbox.agentDir, 'trust.json'))).toBe(false);
  });
});
