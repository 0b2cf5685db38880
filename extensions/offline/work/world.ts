import type { FileRef } from '../grammar/steps.js';
import type { Outcome } from './outcome.js';
import type { Call, Toolbox } from './toolbox.js';

/** Work that asks for tool calls and goes on with what they gave. */
export type Work<T> = Generator<Call, T, Outcome>;

/** What is known while the steps are done; a request begins with what the conversation before it leaves. */
export interface World {
  tools: Toolbox;
  /** The files last found or used: what "it" and "them" mean. */
  files: readonly string[];
  /** What "the first one" counts in, when it is not these: the files of a listing. */
  listed: readonly string[] | undefined;
  /** The command last run. */
  command: string | undefined;
  /** The text last searched for. */
  searched: string | undefined;
}

export interface StepReport {
  ok: boolean;
  text: string;
}

/** A step that cannot be done; the message is for the user. */
export class StepFailed extends Error {}

/** The most files one pronoun may stand for. */
const MAX_FILES = 20;

/** The files a reference means. `single` tells that the step is for one only. */
export function resolveFiles(ref: FileRef, world: World): string[] {
  if (ref.kind === 'path') return [ref.path];
  const choices = ref.kind === 'nth' ? (world.listed ?? world.files) : world.files;
  if (choices.length === 0) throw new StepFailed('There is no file to go on with: none was found or named before.');
  if (ref.kind === 'nth') {
    const file = choices.at(ref.index);
    if (file === undefined) throw new StepFailed(`There are only ${choices.length} files to choose from.`);
    return [file];
  }
  if (ref.kind === 'it') return [...world.files.slice(0, 1)];
  if (world.files.length > MAX_FILES) {
    throw new StepFailed(
      `That would be ${world.files.length} files; I do at most ${MAX_FILES} at once. Please name a folder or files.`,
    );
  }
  return [...world.files];
}

/** The one file a step that changes something is for. */
export function resolveOne(ref: FileRef, world: World): string {
  const [file] = resolveFiles(ref, world);
  if (file === undefined) throw new StepFailed('I do not know which file is meant.');
  if (ref.kind !== 'path' && ref.kind !== 'nth' && world.files.length > 1) {
    const some = world.files.slice(0, 5).map((path) => `\`${path}\``);
    const more = world.files.length > 5 ? ', …' : '';
    throw new StepFailed(`I do not know which of these files is meant: ${some.join(', ')}${more}. Please name it.`);
  }
  return file;
}
