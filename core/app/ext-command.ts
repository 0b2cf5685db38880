import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expandHome, homeDir } from '../resources/agent-dir.js';
import { loadSettings, settingsPath } from '../resources/settings.js';
import { createSettingsWriter } from '../resources/settings-writer.js';
import { parseCapability } from '../trust/capabilities.js';
import { readManifest } from '../trust/extension-manifest.js';
import { TRUST_LEVELS, type TrustLevel } from '../trust/extension-trust.js';
import type { ExtCommandIo } from './ext-learn/ext-command-io.js';
import { EXIT_CODES } from './process-end.js';
import { parseSubcommand } from './subcommand-args.js';

const USAGE = `Usage: pi ext trust <extension> <level> [capability...] [--declared]
       pi ext learn <extension> --drive <file>
       pi ext check <extension> [--json]
       pi ext new <name> [--dir <folder>] [--package]
       pi ext test [extension] [-- arguments of vitest]
       pi ext watch [extension]

trust: writes to your settings what an extension may do. The extension is a path, or where it comes from, as "npm:@foo/bar".
  Levels: trusted (everything you may), restricted (what is granted), isolated (the same, kept by the system too).
  Capabilities: ui ui:dialog tools commands hooks:observe|tool|context|provider session:read|write model model:call provider
  secrets:PROVIDER fs:read:PLACE fs:write:PLACE net:HOST[:PORT] exec:PROGRAM env:NAME native workers eval.
  Places may begin with $CWD, $EXT or $DATA. --declared: also what its author declares.
learn: runs it once with everything allowed, with the prompts and commands of a file, a line each, and prints what it used.
check: loads it as a session would, and lists what it registers, what it needs, what is degraded without a terminal, and problems.
new: writes a folder with a typed extension, its tests and a README; --package: one that can be published.
test: runs its tests with vitest, against the kit pi-platform/testing that comes with this program.
watch: checks it and runs its tests now and at each change of a file it is made of, until stdin ends or Ctrl+C.
Exit codes: 0 done; 1 a failure, or problems found; 2 wrong call.
`;

const ACTIONS = 'check, new, test, watch, trust, learn';
const MAX_CAPABILITIES = 1_000;

/** Runs `pi ext …`; `args` without the word. Gives the exit code. */
export async function runExtCommand(args: readonly string[], io: ExtCommandIo): Promise<number> {
  if (args[0] === 'learn') return (await import('./ext-learn/learn-command.js')).runLearnCommand(args.slice(1), io, USAGE);
  if (args[0] === 'check') return (await import('./ext-kit/check-command.js')).runCheckCommand(args.slice(1), io, USAGE);
  if (args[0] === 'new') return (await import('./ext-kit/new-command.js')).runNewCommand(args.slice(1), io, USAGE);
  if (args[0] === 'test') return (await import('./ext-kit/test-command.js')).runTestCommand(args.slice(1), io, USAGE);
  if (args[0] === 'watch') return (await import('./ext-kit/watch-command.js')).runWatchCommand(args.slice(1), io, USAGE);
  const parsed = parseSubcommand(args, { flags: { '--declared': 'declared' }, maxWords: MAX_CAPABILITIES });
  if (parsed === 'help') {
    io.stdout(USAGE);
    return EXIT_CODES.ok;
  }
  const problem = 'problem' in parsed ? parsed.problem : problemOf(parsed.words);
  if ('problem' in parsed || problem !== undefined) {
    io.stderr(`pi ext: ${problem}\n${USAGE}`);
    return EXIT_CODES.usage;
  }
  const [, extension = '', level, ...capabilities] = parsed.words;
  return trust(extension, level as TrustLevel, capabilities, parsed.flags.has('declared'), io);
}

function problemOf([action, extension, level, ...capabilities]: readonly string[]): string | undefined {
  if (action !== 'trust') return action === undefined ? `say one of ${ACTIONS}` : `"${action}" is none of ${ACTIONS}`;
  if (extension === undefined) return 'trust needs an extension';
  if (!TRUST_LEVELS.some((one) => one === level)) return `the level must be one of ${TRUST_LEVELS.join(', ')}`;
  if (level === 'trusted' && capabilities.length > 0) return 'a trusted extension may do everything: leave the capabilities out';
  for (const text of capabilities) {
    const found = parseCapability(text);
    if ('problem' in found) return `"${text}": ${found.problem}`;
  }
  return undefined;
}

async function trust(
  extension: string,
  level: TrustLevel,
  capabilities: readonly string[],
  withDeclared: boolean,
  io: ExtCommandIo,
): Promise<number> {
  const { agentDir, cwd, env } = io;
  const home = homeDir(env);
  const isSource = /^[a-z+]+:/i.test(extension);
  const given = path.resolve(cwd, expandHome(extension, home));
  if (!isSource && !existsSync(given)) {
    io.stderr(`pi ext: there is no ${given}\n`);
    return EXIT_CODES.failure;
  }
  const key = isSource ? extension : realpathSync(given);
  const declared = isSource ? [] : readManifest(key, { home, agentDir, cwd }).declared;
  const known = declared.filter((one) => !('problem' in parseCapability(one)));
  const grants = [...new Set([...capabilities, ...(withDeclared ? known : [])])];
  const before = overrideOf(loadSettings({ agentDir, cwd, projectTrusted: false }).global.known.extensionTrust, key);
  const value = level === 'trusted' ? { ...before, level, grants: [] } : { ...before, level, grants };
  const written = await createSettingsWriter(settingsPath(agentDir)).update(['extensionTrust', 'overrides', key], value);
  if (!written.ok) {
    io.stderr(`pi ext: ${written.diagnostic.message}\n`);
    return EXIT_CODES.failure;
  }
  io.stdout(`${key} is ${level}${level === 'trusted' ? '' : `, and may: ${grants.join(' ') || 'nothing'}`}\n`);
  const missing = level === 'trusted' ? [] : declared.filter((one) => !grants.includes(one));
  if (missing.length > 0) io.stdout(`Its author declares what is not granted: ${missing.join(' ')}\n`);
  return EXIT_CODES.ok;
}

/** What is said of it already: its limits stay. */
function overrideOf(setting: unknown, key: string): Record<string, unknown> {
  const overrides = (setting as { overrides?: Record<string, unknown> } | null | undefined)?.overrides;
  const found = typeof overrides === 'object' && overrides !== null && Object.hasOwn(overrides, key) ? overrides[key] : undefined;
  return typeof found === 'object' && found !== null ? { ...(found as Record<string, unknown>) } : {};
}
