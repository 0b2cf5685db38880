import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageWorld, simplePackage } from './support.js';

let world: PackageWorld;

beforeEach(async () => {
  world = await PackageWorld.open();
});
afterEach(() => world.close());

const halfMade = (): string[] => fs.readdirSync(world.sandbox.agentDir).filter((name) => /\.(?:new-|old)|\.lock$/.test(name));

/** Starts an installation and waits until npm asks for a tarball, which it does not get. */
async function startStuck(source: string): Promise<ReturnType<PackageWorld['start']>> {
  const asked = world.registry.holdTarballs();
  const pi = world.start(['install', source]);
  pi.child.stdin.end();
  await asked;
  return pi;
}

describe('an installation that is cut off', { timeout: 60_000 }, () => {
  it('by kill -9 leaves what was there, and the next one cleans up and goes on', async () => {
    world.registry.publish(simplePackage('first', '1.0.0'));
    await world.run(['install', 'npm:first']);
    const before = world.installed();
    world.registry.publish(simplePackage('second', '1.0.0'));
    const pi = await startStuck('npm:second');
    pi.kill('SIGKILL');
    expect(await pi.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const left = halfMade();
    expect(left).toContain('packages.lock');
    expect(Object.fromEntries(Object.entries(world.installed()).filter(([name]) => !name.includes('.new-')))).toEqual(before);
    expect(await world.commands()).toEqual(['first-prompt', 'skill:first-skill']);
    world.registry.releaseTarballs();
    expect((await world.run(['install', 'npm:second'])).code).toBe(0);
    expect((await world.commands()).sort()).toEqual(['first-prompt', 'second-prompt', 'skill:first-skill', 'skill:second-skill']);
    expect(left.filter((name) => halfMade().includes(name))).toEqual([]);
  });

  it('by SIGTERM ends npm too, leaves nothing half made and ends with 143', async () => {
    const before = world.installed();
    world.registry.publish(simplePackage('slow', '1.0.0'));
    const pi = await startStuck('npm:slow');
    pi.kill('SIGTERM');
    expect(await pi.exited).toEqual({ code: 143, signal: null });
    expect(world.installed()).toEqual(before);
    expect(halfMade()).toEqual([]);
  });

  it('between the two renames is put right by whoever looks, and by the next installation', async () => {
    world.registry.publish(simplePackage('first', '1.0.0'));
    const repo = world.repository('repo', { 'prompts/git.md': 'git\n' });
    await world.run(['install', 'npm:first']);
    await world.run(['install', `git:file://${repo}`]);
    // As the first rename of an update leaves it.
    fs.renameSync(world.agentFile('npm'), world.agentFile('npm.old'));
    fs.renameSync(world.agentFile('git'), world.agentFile('git.old'));
    expect(await world.commands([], { PI_OFFLINE: '1' })).toEqual(['first-prompt', 'git', 'skill:first-skill']);
    world.registry.publish(simplePackage('second', '1.0.0'));
    expect((await world.run(['install', 'npm:second'])).code).toBe(0);
    expect((await world.run(['update', `git:file://${repo}`])).code).toBe(0);
    expect(halfMade()).toEqual([]);
    expect((await world.commands()).sort()).toEqual([
      'first-prompt',
      'git',
      'second-prompt',
      'skill:first-skill',
      'skill:second-skill',
    ]);
  });

  it('at any moment leaves the old state or the new one', async () => {
    world.registry.publish(simplePackage('moving', '1.0.0'));
    await world.run(['install', 'npm:moving']);
    const versions = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      world.registry.publish(simplePackage('moving', `1.0.${round + 1}`));
      const pi = world.start(['update']);
      pi.child.stdin.end();
      // Moments are found by what happens on disk, so that a slow machine meets the same ones.
      await Promise.race([untilChanged(world.sandbox.agentDir, round + 1), pi.exited]);
      pi.kill('SIGKILL');
      await pi.exited;
      const { commands } = await world.session([], { PI_OFFLINE: '1' });
      expect(commands.map(({ name }) => name)).toEqual(['moving-prompt', 'skill:moving-skill']);
      versions.add(fs.readFileSync(path.join(commands[0].path), 'utf8'));
    }
    for (const text of versions) expect(text).toMatch(/^Prompt of moving 1\.0\.\d+\n$/);
    expect((await world.run(['update'])).code).toBe(0);
    expect(halfMade().filter((name) => name !== 'packages.lock')).toEqual([]);
  });

  it('two at a time wait for one another', async () => {
    for (const name of ['left', 'right']) world.registry.publish(simplePackage(name, '1.0.0'));
    const results = await Promise.all(['left', 'right'].map((name) => world.run(['install', `npm:${name}`])));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(Object.keys(world.lock().npm).sort()).toEqual(['node_modules/left', 'node_modules/right']);
    expect(world.settings().packages.sort()).toEqual(['npm:left', 'npm:right']);
  });
});

/** Resolves after `count` changes in a folder. */
function untilChanged(folder: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const watcher = fs.watch(folder, { persistent: false }, () => {
      left -= 1;
      if (left > 0) return;
      watcher.close();
      resolve();
    });
  });
}
