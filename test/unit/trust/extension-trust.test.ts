import { describe, expect, it } from 'vitest';
import { parseCapability, parseHost } from '../../../core/trust/capabilities.js';
import { capabilitiesInComment, ownFolder } from '../../../core/trust/extension-manifest.js';
import { decideExtensionTrust } from '../../../core/trust/extension-trust.js';
import { Grants } from '../../../core/trust/grants.js';

const HOME = '/home/u';
const file = { path: '/ext/a.ts', packageFolder: undefined as string | undefined, source: 'local', scope: 'user' };
const npm = {
  path: '/store/node_modules/@foo/bar/index.ts',
  packageFolder: '/store/node_modules/@foo/bar',
  source: 'npm:@foo/bar@1.2.0',
  scope: 'user',
};
const level = (setting: unknown, project?: unknown, of = file) => decideExtensionTrust(of, setting, project, HOME).level;

describe('the level of an extension', () => {
  it('is trusted without settings, and what default says with them', () => {
    expect(level(undefined)).toBe('trusted');
    expect(level({ default: 'restricted' })).toBe('restricted');
  });

  it('is that of its path, its package or its source before the default', () => {
    expect(level({ default: 'isolated', overrides: { '/ext/a.ts': 'restricted' } })).toBe('restricted');
    expect(level({ overrides: { '/store/node_modules/@foo/bar': 'restricted' } }, undefined, npm)).toBe('restricted');
    expect(level({ overrides: { 'npm:@foo/bar': { level: 'restricted', grants: ['ui'] } } }, undefined, npm)).toBe('restricted');
    expect(level({ overrides: { 'npm:@foo/bar2': 'restricted' } }, undefined, npm)).toBe('trusted');
  });

  it('is that of "project" for extensions of a project, for which "default" says nothing', () => {
    const brought = { ...file, scope: 'project' };
    expect(level({ project: 'restricted' }, undefined, brought)).toBe('restricted');
    expect(level({ default: 'restricted' }, undefined, brought)).toBe('trusted');
    expect(level({ project: 'restricted' })).toBe('trusted');
  });

  it('is lowered by a project, and never raised', () => {
    expect(level({ default: 'trusted' }, { default: 'isolated' })).toBe('isolated');
    expect(level({ default: 'isolated' }, { default: 'trusted', overrides: { '/ext/a.ts': 'trusted' } })).toBe('isolated');
  });

  it('gets no grants and limits from a project', () => {
    const project = { overrides: { '/ext/a.ts': { level: 'restricted', grants: ['exec:*'], limits: { heapMb: 9_000 } } } };
    expect(decideExtensionTrust(file, undefined, project, HOME)).toMatchObject({ level: 'restricted', grants: [], limits: {} });
  });

  it.each([
    ['a text', 'yes'],
    ['an unknown level', { default: 'restrictd' }],
    ['overrides that are a list', { overrides: [] }],
    ['an unknown level of its own', { overrides: { '/ext/a.ts': 'trust' } }],
    ['grants that are no list', { overrides: { '/ext/a.ts': { level: 'trusted', grants: 'ui' } } }],
    ['a number in the place of an object', { overrides: { '/ext/a.ts': 1 } }],
  ])('is restricted, and says so, for settings with %s', (_, setting) => {
    const decided = decideExtensionTrust(file, setting, undefined, HOME);
    expect(decided).toMatchObject({ level: 'restricted', grants: [] });
    expect(decided.problems).toHaveLength(1);
  });

  it('ignores a limit that is none, and says so', () => {
    const limits = { heapMb: 256, hookMs: -1, speed: 2 };
    const decided = decideExtensionTrust(file, { overrides: { '/ext/a.ts': { level: 'restricted', limits } } }, undefined, HOME);
    expect(decided.limits).toEqual({ heapMb: 256 });
    expect(decided.problems).toHaveLength(2);
  });
});

describe('capabilities', () => {
  it.each([
    'ui',
    'hooks:tool',
    'session:read',
    'fs:read:$CWD',
    'fs:write:/tmp/x/**',
    'net:api.github.com',
    'exec:git',
    'env:GITHUB_TOKEN',
    'secrets:openai',
  ])('%s is one', (text) => expect(parseCapability(text)).not.toHaveProperty('problem'));

  it.each([
    '',
    'uix',
    'hooks:',
    'hooks',
    'fs:read:',
    'fs:read:relative',
    'fs:read:$HOME/x',
    'fs:read:/a/*.md',
    'net:',
    'net:http://x',
    'net:x:99999',
    'env:A B',
    'env:NODE_OPTIONS',
    'env:LD_PRELOAD',
    '__proto__',
    'constructor:x',
  ])('%j is none', (text) => expect(parseCapability(text)).toHaveProperty('problem'));

  it.each([
    ['example.com', 'example.com', undefined],
    ['Example.COM:8080', 'example.com', 8080],
    ['*.example.com', '*.example.com', undefined],
    ['127.0.0.1:1', '127.0.0.1', 1],
    ['[::1]:80', '::1', 80],
    ['*', '*', undefined],
  ])('the host %s is understood', (text, host, port) => {
    expect(parseHost(text)).toEqual({ host, ...(port !== undefined && { port }) });
  });
});

describe('grants', () => {
  const places = { cwd: '/work', ext: '/ext/a.ts', data: '/data' };
  const grants = (...texts: string[]) => new Grants(texts, places, HOME);

  it('reach a host by name and port, and those below a domain', () => {
    const some = grants('net:api.example.com:443', 'net:*.example.org');
    expect(some.mayReach('API.example.com', 443)).toBe(true);
    expect(some.mayReach('api.example.com', 80)).toBe(false);
    expect(some.mayReach('a.b.example.org', 1)).toBe(true);
    expect(some.mayReach('example.org', 443)).toBe(false);
    expect(some.mayReach('evilexample.org', 443)).toBe(false);
  });

  it('mean places by their name: the project, home, the data folder', () => {
    expect(grants('fs:read:$CWD/docs/**', 'fs:read:~/x', 'fs:read:$DATA', 'fs:read:/abs/').readable).toEqual([
      '/work/docs',
      '/home/u/x',
      '/data',
      '/abs',
    ]);
  });

  it('run a program by its word only', () => {
    expect(grants('exec:git').mayRun('git')).toBe(true);
    expect(grants('exec:git').mayRun('/tmp/git')).toBe(false);
    expect(grants('exec:git').mayRun('git2')).toBe(false);
  });

  it('hold for what can be understood, and name what can not', () => {
    const some = grants('ui', 'uix', 'fs:read:x');
    expect(some.texts).toEqual(['ui']);
    expect(some.problems).toHaveLength(2);
    expect(some.hasAny('ui', 'ui:dialog')).toBe(true);
    expect(some.hasAny('__proto__', 'uix')).toBe(false);
  });
});

describe('what an author declares', () => {
  it('is in the comments a file begins with, and nowhere else', () => {
    expect(capabilitiesInComment('#!/usr/bin/env node\n// a\n// @pi-capabilities ui, tools fs:read:$CWD\nexport {}')).toEqual([
      'ui',
      'tools',
      'fs:read:$CWD',
    ]);
    expect(capabilitiesInComment('/* @pi-capabilities net:a.b */ x')).toEqual(['net:a.b']);
    expect(capabilitiesInComment('const x = 1;\n// @pi-capabilities ui')).toEqual([]);
  });

  it('lets it read the folder of its package, but never one that holds home, settings or the project', () => {
    const common = { home: HOME, agentDir: `${HOME}/.pi/agent`, cwd: '/work' };
    const own = (path: string, packageFolder?: string) => ownFolder(path, { declared: [], packageFolder }, common);
    expect(own('/ext/a/src/x.ts', '/ext/a')).toBe('/ext/a');
    expect(own('/ext/a/index.ts')).toBe('/ext/a');
    expect(own('/ext/a.ts')).toBe('/ext/a.ts');
    expect(own(`${HOME}/x.ts`, HOME)).toBe(`${HOME}/x.ts`);
    expect(own('/index.ts')).toBe('/index.ts');
    expect(own(`${HOME}/.pi/agent/extensions/index.ts`)).toBe(`${HOME}/.pi/agent/extensions/index.ts`);
    expect(own(`${HOME}/.pi/agent/extensions/one/index.ts`)).toBe(`${HOME}/.pi/agent/extensions/one`);
  });
});
