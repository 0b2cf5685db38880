import { dangerOfCommand, isSystemPath } from '../grammar/danger.js';
import type { Step } from '../grammar/steps.js';
import { code, excerpt, linesOf } from './excerpt.js';
import { reason } from './look.js';
import { commandOutcome } from './outcome.js';
import { shellQuote } from './toolbox.js';
import { resolveOne, StepFailed, type StepReport, type Work, type World } from './world.js';

/** The steps that run something, or move files with the shell. */
const MAX_OUTPUT = 20;

const INTERPRETERS: Readonly<Record<string, string>> = {
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  sh: 'sh',
  bash: 'bash',
  py: 'python3',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
  ts: 'npx tsx',
  mts: 'npx tsx',
};

export function* run(step: Extract<Step, { kind: 'run' }>, world: World): Work<StepReport> {
  const command = step.folder === '' ? step.command : `cd ${shellQuote(step.folder)} && ${step.command}`;
  return yield* runCommand(command, step.timeout, world);
}

export function* runFile(step: Extract<Step, { kind: 'runFile' }>, world: World): Work<StepReport> {
  const path = resolveOne(step.file, world);
  const interpreter = INTERPRETERS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  if (interpreter === undefined)
    throw new StepFailed(`I do not know how to run ${code(path)}. Give me the command, in backticks.`);
  const file = shellQuote(path.startsWith('-') ? `./${path}` : path);
  const report = yield* runCommand(`${interpreter} ${file}`, step.timeout, world);
  world.files = [path];
  return report;
}

export function* runAgain(world: World): Work<StepReport> {
  if (world.command === undefined) throw new StepFailed('No command has been run yet, so there is none to run again.');
  return yield* runCommand(world.command, undefined, world);
}

function* runCommand(command: string, timeout: number | undefined, world: World): Work<StepReport> {
  const danger = dangerOfCommand(command);
  if (danger !== undefined) throw new StepFailed(`I don't run ${code(command)}: it would ${danger}.`);
  const outcome = yield world.tools.bash(command, `I run ${code(command)}.`, timeout);
  world.command = command;
  const { output, exitCode, ending } = commandOutcome(outcome);
  const lines = linesOf(output.replace(/^(\s*\n)+/, ''));
  const shown = lines.length === 0 ? '' : `\n${excerpt(lines, MAX_OUTPUT, 'end')}`;
  if (exitCode === 0) {
    return {
      ok: true,
      text:
        lines.length === 0
          ? `${code(command)} ended well and printed nothing.`
          : `${code(command)} ended well and printed:${shown}`,
    };
  }
  const how = exitCode !== undefined ? `failed with exit code ${exitCode}` : `did not end well (${ending ?? reason(outcome)})`;
  return { ok: false, text: `${code(command)} ${how}${shown === '' ? '.' : `:${shown}`}` };
}

export function* transfer(step: Extract<Step, { kind: 'copy' | 'move' }>, world: World): Work<StepReport> {
  const from = resolveOne(step.from, world);
  if (isSystemPath(from) && step.kind === 'move') throw new StepFailed(`I don't move the system's own files (${from}).`);
  const [command, doing, done] = step.kind === 'copy' ? ['cp', 'copy', 'copied'] : ['mv', 'move', 'moved'];
  const line = `${command} -- ${shellQuote(from)} ${shellQuote(step.to)}`;
  const outcome = yield world.tools.bash(line, `I ${doing} ${code(from)} to ${code(step.to)}.`);
  if (outcome.isError) throw new StepFailed(`I could not ${doing} ${code(from)}: ${reason(outcome)}`);
  world.files = [step.to];
  return { ok: true, text: `I ${done} ${code(from)} to ${code(step.to)}.` };
}

export function* makeFolder(step: Extract<Step, { kind: 'makeFolder' }>, world: World): Work<StepReport> {
  const outcome = yield world.tools.bash(`mkdir -p -- ${shellQuote(step.path)}`, `I make the folder ${code(step.path)}.`);
  if (outcome.isError) throw new StepFailed(`I could not make the folder ${code(step.path)}: ${reason(outcome)}`);
  return { ok: true, text: `I made the folder ${code(step.path)}.` };
}
