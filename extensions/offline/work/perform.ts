import type { Step } from '../grammar/steps.js';
import { notUnderstood } from '../help.js';
import { add, replace, write } from './change.js';
import { makeFolder, run, runAgain, runFile, transfer } from './command.js';
import { count, find, list, read, search } from './look.js';
import { MissingTool } from './toolbox.js';
import { StepFailed, type StepReport, type Work, type World } from './world.js';

/** What the answer is made of while and after the steps are done. */
export interface Progress {
  /** `Step 2 of 3: ` while that step is done; empty for a single step. */
  label: string;
}

/** Does the steps in order, stops at the first that fails, and returns the report on all of them. */
export function* performAll(steps: readonly Step[], world: World, progress: Progress): Work<string> {
  const todo = steps.filter((step) => step.kind !== 'unknown');
  const unknown = steps.find((step) => step.kind === 'unknown');
  const texts: string[] = [];
  let stoppedAt: number | undefined;
  for (const [index, step] of todo.entries()) {
    progress.label = todo.length > 1 ? `Step ${index + 1} of ${todo.length}: ` : '';
    const report = yield* performOne(step, world);
    texts.push(report.text);
    if (report.ok) continue;
    stoppedAt = index;
    break;
  }
  progress.label = '';
  const numbered = texts.length > 1 ? texts.map((text, index) => `${index + 1}. ${text}`) : texts;
  if (stoppedAt !== undefined && stoppedAt < todo.length - 1) {
    const left = todo.length - 1 - stoppedAt;
    numbered.push(`I stopped there; ${left === 1 ? 'the step after it is' : `the ${left} steps after it are`} not done.`);
  } else if (unknown && stoppedAt === undefined) {
    numbered.push(notUnderstood(unknown.text));
  }
  return numbered.join('\n\n');
}

function* performOne(step: Step, world: World): Work<StepReport> {
  try {
    return yield* workOf(step, world);
  } catch (error) {
    // What cannot be done is told to the user; anything else is a fault of ours.
    if (error instanceof StepFailed || error instanceof MissingTool) return { ok: false, text: error.message };
    throw error;
  }
}

function workOf(step: Step, world: World): Work<StepReport> {
  switch (step.kind) {
    case 'list':
      return list(step, world);
    case 'find':
      return find(step, world);
    case 'search':
      return search(step, world);
    case 'read':
      return read(step, world);
    case 'count':
      return count(step, world);
    case 'write':
      return write(step, world);
    case 'add':
      return add(step, world);
    case 'replace':
      return replace(step, world);
    case 'run':
      return run(step, world);
    case 'runFile':
      return runFile(step, world);
    case 'runAgain':
      return runAgain(world);
    case 'copy':
    case 'move':
      return transfer(step, world);
    case 'makeFolder':
      return makeFolder(step, world);
    case 'say':
      return answer(step.text);
    case 'refuse':
      return answer(`I don't do that: it would ${step.reason}. If it has to be, please do it yourself.`);
    case 'nothing':
      return answer('There is nothing to report: tell me what to do first.');
    case 'resume':
      return answer('There is nothing to go on with.');
    case 'unknown':
      return answer(notUnderstood(step.text));
  }
}

// biome-ignore lint/correctness/useYield: an answer that needs no tool is work all the same.
function* answer(text: string): Work<StepReport> {
  return { ok: true, text };
}
