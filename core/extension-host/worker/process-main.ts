import type { LoadOutcome, LoadSettings } from '../contract/lifecycle.js';
import type { SandboxStart } from '../contract/sandbox.js';
import { createSharedWords } from '../contract/shared-memory.js';
import { coreForSupervisorContract, supervisorContract } from '../contract/sides.js';
import type { StateRead, SyncCall } from '../contract/state.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import { assembleRuntime } from './assemble-runtime.js';
import { Audit } from './audit.js';
import { BlockingLink, codeThroughCore, ONLY_WORKER } from './blocking-link.js';
import { runProgramsWith, spawnHere } from './exec.js';
import { createFetch } from './fetch-through-core.js';

/**
 * The process of one extension that is not trusted. Its code runs on the main thread, as only there Node's permission model is a fence;
 * what it may do besides, the core decides at the other end of the pipes. Nothing in here protects anything.
 */
const { loadMs, auditFile } = JSON.parse(process.argv[2] ?? '{}') as SandboxStart;
process.argv.splice(2);

/** Of the one extension. */
let name = '';
let file = '';
const audit = auditFile === undefined ? undefined : new Audit(auditFile, () => file);
const link = new BlockingLink();
const end = (): never => process.exit(0);
const { core, control, receive } = assembleRuntime({
  words: createSharedWords(),
  answers: link,
  loadMs,
  packages: new URL('./packages/', import.meta.url),
  sendLines: (lines) => link.send(ONLY_WORKER, lines),
  ...(audit && { onCall: (member, args) => audit.member(member, args), onRead: (topic) => audit.state(topic) }),
  sendAsk: (message) => {
    if ('sync' in message) link.sendSync((message as SyncCall).sync);
    else link.ask(message as StateRead);
  },
  code: codeThroughCore(link),
});
if (audit) audit.install();
else globalThis.fetch = createFetch(core, () => name);
runProgramsWith(async (command, args, options) => {
  if (audit) {
    audit.used(`exec:${command}`);
    return spawnHere(command, args, options);
  }
  const { cwd, timeout, signal } = options;
  const asked = { command, args: [...args], cwd: cwd ?? null, ...(timeout !== undefined && timeout > 0 && { timeout }) };
  const done = await core.call('exec.run', [name, asked], { signal });
  return { stdout: String(done.stdout), stderr: String(done.stderr), code: Number(done.code), killed: done.killed === true };
});

const outbox = new Outbox((lines) => link.send(0, lines));
const peer = new Peer({
  local: supervisorContract,
  remote: coreForSupervisorContract,
  implementation: {
    'lifecycle.start_worker': () => null,
    'lifecycle.load': async ([, settings, extensions]) => {
      const outcomes: LoadOutcome[] = [];
      for (const extension of extensions) outcomes.push(await load(settings, extension));
      return outcomes;
    },
    'lifecycle.unload': () => control.unload(),
    'lifecycle.end_worker': () => end(),
    'lifecycle.stop': async () => {
      await control.stop();
      // After the answer is out.
      setImmediate(end);
      return null;
    },
    'lifecycle.beat': () => ({ rssBytes: process.memoryUsage.rss() }),
  },
  send: (line) => outbox.add(line),
  onRefused: (error) => process.stderr.write(`extension process: ${String(error)}\n`),
});

async function load(settings: LoadSettings, extension: { name: string; path: string }): Promise<LoadOutcome> {
  name = extension.name;
  file = extension.path;
  const startedAt = performance.now();
  const failure = await control.load(extension, settings);
  const durationMs = Math.round(performance.now() - startedAt);
  return { extension: extension.name, durationMs, ...(failure && { failure }) };
}

link.listen(({ channel, body }) => (channel === 0 ? peer.receive(body.toString('utf8')) : receive(body.toString('utf8'))), end);
peer.notify('lifecycle.ready', [ONLY_WORKER]);
