import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startFakeLlm } from '../../support/fake-llm/server.js';
import { CLI, createSandbox, fakeProviders, type Json } from '../../support/pi-process.js';
import { referencePi } from '../../support/reference-pi.js';
import { maskOf, withoutPerRun } from '../examples/mask.js';

const VERSION = '0.84.0';
const reference = referencePi(VERSION);
const [node = '', cli = ''] = reference ?? [];
const driver = fileURLToPath(new URL('./driver.mjs', import.meta.url));

type Said = [method: string, value: Json][];

/** What each call of the driver gave with the program at `cliPath`, and whether the page was exported. */
async function drive(cliPath: string): Promise<{ said: Said; page: boolean }> {
  await using llm = await startFakeLlm(
    { text: 'Hello.' },
    { text: 'Waiting.', toolCalls: [{ id: 'call_1', name: 'bash', args: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
    { text: 'Quick it was.' },
    { text: 'I saw a file.' },
    { text: 'On and on', chunks: 1, hang: true },
    { text: 'The summary.' },
    { text: 'The rest of it.' },
  );
  const settings = { compaction: { keepRecentTokens: 1 } };
  const sandbox = createSandbox({ providers: fakeProviders(llm.url), settings });
  const prompts = path.join(sandbox.agentDir, 'prompts');
  mkdirSync(prompts);
  writeFileSync(path.join(prompts, 'own.md'), '---\ndescription: Mine\n---\nDo it.\n');
  try {
    const page = path.join(sandbox.root, 'page.html');
    // The client starts `node` by its name: the program under test runs under the Node of these tests, the other under its own.
    const program = path.dirname(cliPath === CLI ? process.execPath : node);
    const env = { ...sandbox.env, PATH: [program, process.env.PATH].join(path.delimiter) };
    const module = path.join(path.dirname(cli), 'index.js');
    const { stdout } = await promisify(execFile)(node, [driver, module, cliPath, page], { cwd: sandbox.cwd, env });
    const mask = maskOf(
      new Map([
        [llm.url, 'http://<service>'],
        [sandbox.root, '<root>'],
      ]),
    );
    const said = JSON.parse(stdout).map(([method, value]: [string, Json]) => [
      method,
      JSON.parse(mask(JSON.stringify(withoutPerRun(value)))),
    ]);
    return { said, page: existsSync(page) };
  } finally {
    sandbox.remove();
  }
}

/** What the programs say differently, and why. */
const OWN: Readonly<Record<string, (value: Json) => Json>> = {
  // Ours tells of dialogs that wait, and so may be asked where a run hangs.
  getState: ({ pendingDialogs: _, ...state }) => state,
  // Theirs brings an extension; ours says also where a command comes from in the words of older clients.
  getCommands: (commands) =>
    commands.flatMap(({ name, description, source }: Json) => (name === 'llama' ? [] : [{ name, description, source }])),
  // Deltas that arrive together are joined here, and entries that clients may want are announced.
  collectEvents: withoutStreaming,
  promptAndWait: withoutStreaming,
  events: withoutStreaming,
  // Refused by both, each in its words.
  clone: ({ error }) => ({ error: typeof error }),
  setModel: (value) => (value?.error ? { error: value.error.replace(/.*nobody.*/, 'nobody') } : value),
  getEntries: ({ entries, leafId }) => ({ leafId, entries: entries.filter(isNoRepetition) }),
  getTree: ({ leafId }) => ({ leafId }),
};

function withoutStreaming(types: string[]): string[] {
  return types.filter((type) => type !== 'message_update' && type !== 'entry_appended');
}

/** Another model of the same level: ours notes the level again. */
function isNoRepetition({ type, thinkingLevel }: Json, at: number, entries: Json[]): boolean {
  const before = entries.slice(0, at).findLast((entry) => entry.type === 'thinking_level_change');
  return type !== 'thinking_level_change' || before?.thinkingLevel !== thinkingLevel;
}

/** How the library underneath words an abort depends on the Node it runs on. */
const unworded = (key: string, value: unknown): unknown =>
  key === 'errorMessage' && typeof value === 'string'
    ? value.replace(/^(This operation|Request) was aborted$/, 'aborted')
    : value;

const alike = (said: Said): Said =>
  said.map(([method, value]) => [method, JSON.parse(JSON.stringify(OWN[method]?.(value) ?? value, unworded))]);

describe.skipIf(!reference)(`the client class of ${VERSION}`, { timeout: 120_000 }, () => {
  it('drives this program through each of its methods as it drives the existing one', async () => {
    const [there, here] = await Promise.all([drive(cli), drive(CLI)]);
    expect(alike(here.said)).toEqual(alike(there.said));
    expect([here.page, there.page]).toEqual([true, true]);
    const untested = here.said.flatMap(([method, value]) => (method === 'untested' ? value : []));
    expect(untested).toEqual([]);
  });
});

it.runIf(!reference)(`skipped: ${VERSION} could not be installed from the package registry`, () => {
  console.log(`the client class of ${VERSION} was not run`);
});
