import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SettingsManager } from '../../../../../core/extension-host/packages/pi-coding-agent/settings-manager.js';

let dir: string;
let agentDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pi-settings-'));
  agentDir = join(dir, 'agent');
  mkdirSync(agentDir);
  mkdirSync(join(dir, '.pi'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (file: string, text: string): void => writeFileSync(join(dir, file), text);
const read = (file: string): string => readFileSync(join(dir, file), 'utf8');

describe('settings', () => {
  it('of the project count over those of the user, group by group', () => {
    write('agent/settings.json', '{"theme":"dark","compaction":{"enabled":false,"reserveTokens":100},"own":1}');
    write('.pi/settings.json', '{"compaction":{"reserveTokens":50}}');
    const settings = SettingsManager.create(dir, agentDir);
    expect(settings.getCompactionSettings()).toEqual({ enabled: false, reserveTokens: 50, keepRecentTokens: 20000 });
    expect(settings.getTheme()).toBe('dark');
    expect(settings.getGlobalSettings()).toMatchObject({ own: 1 });
    expect(settings.getProjectSettings()).toEqual({ compaction: { reserveTokens: 50 } });
    settings.setProjectTrusted(false);
    expect(settings.getCompactionReserveTokens()).toBe(100);
  });

  it('have the documented values when nobody set them', () => {
    const settings = SettingsManager.inMemory();
    expect(settings.getRetrySettings()).toEqual({ enabled: true, maxRetries: 3, baseDelayMs: 2000 });
    expect(settings.getProviderRetrySettings()).toEqual({ maxRetryDelayMs: 60000 });
    expect(settings.getSteeringMode()).toBe('one-at-a-time');
    expect(settings.getHttpIdleTimeoutMs()).toBe(300000);
    expect([settings.getPackages(), settings.getExtensionPaths(), settings.getEnabledModels(), settings.getShellPath()]).toEqual([
      [],
      [],
      undefined,
      undefined,
    ]);
    expect(settings.getDefaultProjectTrust()).toBe('ask');
    expect(settings.getOutputPad()).toBe(1);
  });

  it('of a wrong type count as not set', () => {
    const settings = SettingsManager.inMemory({ theme: 5, retry: 'yes', compaction: { enabled: 'no' }, steeringMode: 'some' });
    expect(settings.getTheme()).toBeUndefined();
    expect(settings.getRetryEnabled()).toBe(true);
    expect(settings.getCompactionEnabled()).toBe(true);
    expect(settings.getSteeringMode()).toBe('one-at-a-time');
  });

  it('count at once when they are set, and reach the file in order, the rest of it as it was', async () => {
    write('agent/settings.json', '{\n  // mine\n  "theme": "dark",\n  "own": 1\n}\n');
    const settings = SettingsManager.create(dir, agentDir);
    settings.setTheme('light');
    settings.setCompactionEnabled(false);
    settings.setDefaultModelAndProvider('p', 'm');
    settings.setPackages(['x', { source: 'y' }]);
    settings.setProjectSkillPaths(['./skills']);
    expect([settings.getTheme(), settings.getCompactionEnabled(), settings.getDefaultModel()]).toEqual(['light', false, 'm']);
    expect(read('agent/settings.json')).toContain('"dark"');
    await settings.flush();
    expect(read('agent/settings.json')).toContain('// mine');
    const again = SettingsManager.create(dir, agentDir);
    expect([
      again.getTheme(),
      again.getCompactionEnabled(),
      again.getDefaultProvider(),
      again.getPackages(),
      again.getSkillPaths(),
    ]).toEqual(['light', false, 'p', ['x', { source: 'y' }], ['./skills']]);
    expect(again.getGlobalSettings()).toMatchObject({ own: 1 });
  });

  it('are taken away by undefined', async () => {
    write('agent/settings.json', '{"shellPath":"/bin/zsh","theme":"dark"}');
    const settings = SettingsManager.create(dir, agentDir);
    settings.setShellPath(undefined);
    expect(settings.getShellPath()).toBeUndefined();
    await settings.flush();
    expect(JSON.parse(read('agent/settings.json'))).toEqual({ theme: 'dark' });
  });

  it('can be overridden for an object, which is never written', async () => {
    const settings = SettingsManager.create(dir, agentDir);
    settings.applyOverrides({ retry: { maxRetries: 9 }, compaction: { enabled: false } });
    expect(settings.getRetrySettings()).toMatchObject({ enabled: true, maxRetries: 9 });
    settings.setTheme('light');
    await settings.flush();
    expect(JSON.parse(read('agent/settings.json'))).toEqual({ theme: 'light' });
  });

  it('in a file that is no JSON count as none; the file is left alone and the problem told once', async () => {
    write('agent/settings.json', '{bad');
    const settings = SettingsManager.create(dir, agentDir);
    expect(settings.drainErrors()).toMatchObject([{ scope: 'global', error: expect.any(Error) }]);
    expect(settings.drainErrors()).toEqual([]);
    settings.setTheme('light');
    await settings.flush();
    expect(read('agent/settings.json')).toBe('{bad');
    expect(settings.drainErrors()).toMatchObject([{ scope: 'global' }]);
    expect(settings.getTheme()).toBe('light');
  });

  it('of an untrusted project are not written', () => {
    const settings = SettingsManager.create(dir, agentDir, { projectTrusted: false });
    expect(() => settings.setProjectPackages(['x'])).toThrow('not trusted');
  });

  it('are read again on demand', async () => {
    const settings = SettingsManager.create(dir, agentDir);
    write('agent/settings.json', '{"theme":"new"}');
    await settings.reload();
    expect(settings.getTheme()).toBe('new');
  });
});
