import { describe, expect, it } from 'vitest';
import { isFetchedText, parsePackageSource } from '../../../core/resources/packages/package-source.js';

const parse = (text: string) => parsePackageSource(text, '/base', '/home/me');

describe('a source of a package', () => {
  it.each([
    ['npm:pkg', 'npm:pkg', 'pkg', undefined],
    ['npm:pkg@1.2.3', 'npm:pkg', 'pkg', '1.2.3'],
    ['npm:@scope/pkg', 'npm:@scope/pkg', '@scope/pkg', undefined],
    ['npm:@scope/pkg@^1.0.0', 'npm:@scope/pkg', '@scope/pkg', '^1.0.0'],
    ['npm:pkg@>=1 <3', 'npm:pkg', 'pkg', '>=1 <3'],
    ['npm:pkg@next', 'npm:pkg', 'pkg', 'next'],
  ])('%s is the npm package of that name and version', (text, identity, name, spec) => {
    expect(parse(text)).toEqual({ kind: 'npm', text, identity, name, spec });
  });

  it.each([
    ['git:github.com/user/repo', 'https://github.com/user/repo', undefined, 'github.com/user/repo'],
    ['git:github.com/user/repo@v1', 'https://github.com/user/repo', 'v1', 'github.com/user/repo'],
    ['git:github.com/user/repo#feature/x', 'https://github.com/user/repo', 'feature/x', 'github.com/user/repo'],
    ['git:git@github.com:user/repo.git@v1.0.0', 'git@github.com:user/repo.git', 'v1.0.0', 'github.com/user/repo'],
    ['https://github.com/user/repo.git', 'https://github.com/user/repo.git', undefined, 'github.com/user/repo'],
    ['https://me:secret@GitHub.com/user/repo@v1', 'https://me:secret@GitHub.com/user/repo', 'v1', 'github.com/user/repo'],
    ['ssh://git@host:2222/a/b/c', 'ssh://git@host:2222/a/b/c', undefined, 'host:2222/a/b/c'],
    ['git://host/repo@0123456', 'git://host/repo', '0123456', 'host/repo'],
    ['git:https://host/repo@main', 'https://host/repo', 'main', 'host/repo'],
    ['git:file:///srv/repo#main', 'file:///srv/repo', 'main', 'file/srv/repo'],
  ])('%s is a git repository', (text, url, ref, folder) => {
    expect(parse(text)).toEqual({ kind: 'git', text, identity: `git:${folder}`, url, ref, folder: folder.split('/') });
  });

  it.each([
    ['./x', '/base/x'],
    ['../x', '/x'],
    ['/abs/x', '/abs/x'],
    ['~/x', '/home/me/x'],
    ['name', '/base/name'],
    ['@org/name', '/base/@org/name'],
    ['file:///abs/x', '/abs/x'],
  ])('%s is a path', (text, path) => {
    expect(parse(text)).toEqual({ kind: 'path', text, identity: `path:${path}`, path });
  });

  it.each([
    '',
    ' ',
    'npm:',
    'npm:@scope',
    'npm:-x',
    'npm:a b',
    'npm:../x',
    'npm:x@',
    'npm:x@--y',
    'npm:x@npm:y',
    'npm:x@file:..',
    'git:',
    'git:host',
    'git:host/',
    'git:ext::sh',
    'git:host/../x',
    'git:host/a@--upload-pack=x',
    'git:host/a b',
    'git:-host/x',
    'https://',
    'https://host',
    'https://host/..',
    'a\u0001b',
  ])('"%s" names no package', (text) => {
    expect(() => parse(text)).toThrowError(expect.objectContaining({ code: 'PACKAGE_SOURCE_INVALID' }));
  });

  it('has the same identity whatever version or spelling is asked for', () => {
    const same = (...texts: string[]): void => expect(new Set(texts.map((text) => parse(text).identity)).size).toBe(1);
    same('npm:x', 'npm:x@1', ' npm:x@latest ');
    same('git:github.com/u/r', 'https://github.com/u/r.git@v1', 'git:git@github.com:u/r', 'ssh://git@github.com/u/r#main');
    same('./x', 'x', '/base/x', '/base/y/../x');
  });

  it('is fetched unless it is a path', () => {
    expect(['npm:x', 'git:h/x', 'https://h/x', 'ssh://h/x', 'git://h/x'].map(isFetchedText)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(['./x', 'x.ts', '/x', 'file:///x', '~/x', 'npmx'].map(isFetchedText)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
