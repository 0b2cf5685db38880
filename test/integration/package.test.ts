import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const bin = (name: string): string => path.join(ROOT, 'node_modules/.bin', name);

let folder: string;
let tarball: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-package-'));
  execFileSync(bin('tsc'), ['-p', 'tsconfig.types.json'], { cwd: ROOT });
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' }),
  ) as { filename: string }[];
  tarball = path.join(folder, packed?.filename ?? '');
  // As npm would put it there, with what it depends on.
  const installed = path.join(folder, 'node_modules/pi-platform');
  fs.mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), '@types']) {
    fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
  // esbuild finds its program beside it.
  fs.symlinkSync(path.join(ROOT, 'node_modules/@esbuild'), path.join(folder, 'node_modules/@esbuild'));
}, 120_000);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const CONSUMER = `
import { createAgentSession, type AgentEvent, RpcClient as Same } from 'pi-platform';
import { isCoded, RpcClient, type RpcClientOptions } from 'pi-platform/client';

const options: RpcClientOptions = {
  command: [process.execPath, 'node_modules/pi-platform/dist/cli.js'],
  args: ['--provider', 'offline', '--no-session', '-e', 'greets.ts'],
  dialogs: { confirm: ({ title, message }) => title.length > message.length },
};
const client = await RpcClient.start(options);
const { text } = await client.promptAndWait('list the files in src');
const { model, isStreaming } = await client.commands.getState();
const { commands } = await client.commands.getCommands();
// @ts-expect-error: there is no such level
const wrong = await client.commands.setThinkingLevel({ level: 'enormous' }).catch((error: unknown) => isCoded(error) && error.code);
await client.stop();

const session = await createAgentSession({ provider: 'offline', extensions: false });
const seen: AgentEvent['type'][] = [];
session.subscribe(({ type }) => seen.push(type));
await session.prompt('list the files in src');
await session.dispose();
console.log(JSON.stringify({ text, model: model?.id, isStreaming, commands: commands.map(({ name }) => name), wrong, seen: seen.at(-1), same: Same.name === RpcClient.name }));
`;

describe('the package', { timeout: 120_000 }, () => {
  it('is one that publint has nothing to say about', async () => {
    const pkg = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const { messages } = await publint({ pkgDir: path.join(folder, 'node_modules/pi-platform'), pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types that fit what is imported, for every entry', () => {
    const output = execFileSync(bin('attw'), [tarball, '--profile', 'esm-only', '--format', 'json'], { encoding: 'utf8' });
    const { analysis } = JSON.parse(output) as { analysis: { problems: { kind: string; resolutionKind?: string }[] } };
    // Whoever requires it from CommonJS gets an import that works at run time only: it is a package of modules.
    const about = analysis.problems.filter(
      ({ resolutionKind }) => resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
    );
    expect(about).toEqual([]);
  });

  it('works where it is installed: types, client, library, and an extension in TypeScript', () => {
    fs.mkdirSync(path.join(folder, 'src'));
    fs.writeFileSync(path.join(folder, 'src/one.ts'), '1');
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    fs.writeFileSync(
      path.join(folder, 'greets.ts'),
      `enum Way { Short } export default (pi: any) => pi.registerCommand('hi' as string, { handler: async () => Way.Short });`,
    );
    fs.writeFileSync(path.join(folder, 'consumer.ts'), CONSUMER);
    const compile = [
      'consumer.ts',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ];
    const { stdout } = spawnSync(bin('tsc'), compile, { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
    const env = { PATH: process.env.PATH, HOME: folder, PI_OFFLINE: '1' };
    const said = JSON.parse(execFileSync(process.execPath, ['consumer.js'], { cwd: folder, env, encoding: 'utf8' }));
    expect(said).toMatchObject({
      model: 'offline',
      isStreaming: false,
      commands: ['hi'],
      wrong: 'INVALID_PARAMS',
      seen: 'agent_settled',
      same: true,
    });
    expect(said.text).toContain('one.ts');
  });

  it('has no sources, tests or maps of sources in it', () => {
    const names = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
    expect(names.filter((name) => /^package\/(?:core|test|bench|scripts)\//.test(name))).toEqual([]);
  });
});
