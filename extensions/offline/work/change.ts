import type { ReplaceStep, Step } from '../grammar/steps.js';
import { code, linesOf, plural } from './excerpt.js';
import { reason, searchFor } from './look.js';
import { countLines, isCutLine, readText } from './outcome.js';
import { editAtEnd, editAtStart, occurrences, uniqueEdits } from './unique-edits.js';
import { resolveFiles, resolveOne, StepFailed, type StepReport, type Work, type World } from './world.js';

/** The steps that change files: write, add, replace. */

/** The most files one "everywhere" may change. */
const MAX_CHANGED = 30;
/** Parts a file is read in before it is given up as too long. */
const MAX_PARTS = 50;

export function* write(step: Extract<Step, { kind: 'write' }>, world: World): Work<StepReport> {
  const path = resolveOne(step.file, world);
  const outcome = yield world.tools.write(path, step.content, `I write ${code(path)}.`);
  if (outcome.isError) throw new StepFailed(`I could not write ${code(path)}: ${reason(outcome)}`);
  world.files = [path];
  const size = `${plural(countLines(step.content), 'line')}, ${plural(step.content.length, 'character')}`;
  return { ok: true, text: step.content === '' ? `I made the empty file ${code(path)}.` : `I wrote ${code(path)} (${size}).` };
}

export function* add(step: Extract<Step, { kind: 'add' }>, world: World): Work<StepReport> {
  const path = resolveOne(step.file, world);
  const added = step.text.replace(/\n$/, '');
  const place = step.at === 'end' ? 'end' : 'beginning';
  const say = `I add ${plural(countLines(added) || 1, 'line')} at the ${place} of ${code(path)}.`;
  const text = yield* wholeText(path, world, `I read ${code(path)} to see its ${place}.`, isMissing);
  const outcome =
    text === undefined || text === ''
      ? yield world.tools.write(path, `${added}\n`, say)
      : yield world.tools.edit(path, [step.at === 'end' ? editAtEnd(text, added) : editAtStart(text, added)], say);
  if (outcome.isError) throw new StepFailed(`I could not add to ${code(path)}: ${reason(outcome)}`);
  world.files = [path];
  const made = text === undefined ? ', which is new' : '';
  return { ok: true, text: `I added ${plural(countLines(added) || 1, 'line')} at the ${place} of ${code(path)}${made}.` };
}

export function* replace(step: ReplaceStep, world: World): Work<StepReport> {
  const oldText = step.oldText ?? world.searched;
  if (oldText === undefined) throw new StepFailed('I do not know which text to replace: nothing has been searched for yet.');
  const known = { ...step, oldText };
  const files = yield* filesToChange(known, world);
  if (files.length > MAX_CHANGED) {
    throw new StepFailed(
      `${code(oldText)} is in ${files.length} files; I change at most ${MAX_CHANGED} at once. Please name a folder.`,
    );
  }
  const texts: string[] = [];
  for (const path of files) {
    const text = step.all ? yield* replaceAll(path, known, world) : yield* replaceOne(path, known, world);
    if (text !== undefined) texts.push(text);
  }
  if (texts.length === 0) {
    const where = files.length === 1 ? code(files[0] ?? '') : `any of the ${files.length} files`;
    throw new StepFailed(`${code(oldText)} is not in ${where}${step.wholeWord ? ' as a whole word' : ''}, so I changed nothing.`);
  }
  world.files = files;
  return { ok: true, text: texts.join('\n') };
}

type Known = ReplaceStep & { oldText: string };

function* filesToChange(step: Known, world: World): Work<string[]> {
  if (step.scope.kind === 'files') {
    return step.scope.files.flatMap((file) => (file.kind === 'them' ? resolveFiles(file, world) : [resolveOne(file, world)]));
  }
  const scope = step.scope;
  const [firstLine = ''] = step.oldText.split('\n').filter((line) => line !== '');
  yield* searchFor({ kind: 'search', text: firstLine, regex: false, ignoreCase: false, scope, wanted: 'files' }, world);
  if (world.files.length === 0)
    throw new StepFailed(`I found no file with ${code(step.oldText)}, so there is nothing to replace.`);
  return [...world.files];
}

function* replaceOne(path: string, { oldText, newText }: Known, world: World): Work<string> {
  const outcome = yield world.tools.edit(path, [{ oldText, newText }], changing(path, oldText, newText));
  if (!outcome.isError) return changed(path, oldText, newText, 1);
  const why = reason(outcome);
  // Look why: the user should learn on which lines the text stands.
  if (!world.tools.has('read')) throw new StepFailed(`I could not change ${code(path)}: ${why}`);
  const text = yield* wholeText(path, world, `That failed; I read ${code(path)} to see why.`, () => true);
  if (text === undefined) throw new StepFailed(`I could not change ${code(path)}: ${why}`);
  const found = occurrences(text, oldText, false);
  if (found.length === 0) throw new StepFailed(`${code(oldText)} is not in ${code(path)}, so I changed nothing.`);
  if (found.length === 1) throw new StepFailed(`I could not change ${code(path)}: ${why}`);
  const lines = [...new Set(found.map((at) => linesOf(text.slice(0, at + 1)).length))];
  const places = lines.length > 10 ? `${lines.slice(0, 10).join(', ')}, …` : lines.join(', ');
  throw new StepFailed(
    `${code(oldText)} is in ${code(path)} ${found.length} times (line ${places}), so I changed nothing. Say "replace all" to change each, or quote a longer piece.`,
  );
}

/** Undefined when the text is not in the file: with several files that is no failure. */
function* replaceAll(path: string, { oldText, newText, wholeWord }: Known, world: World): Work<string | undefined> {
  const text = yield* wholeText(path, world, `I read ${code(path)} to find each ${code(oldText)}.`, () => false);
  const { edits, count } = uniqueEdits(text ?? '', oldText, newText, wholeWord);
  if (count === 0) return undefined;
  const outcome = yield world.tools.edit(path, edits, changing(path, oldText, newText));
  if (outcome.isError) throw new StepFailed(`I could not change ${code(path)}: ${reason(outcome)}`);
  return changed(path, oldText, newText, count);
}

/** All of a file, with `\n` line ends as the edit tool takes them; undefined when reading fails in a way that `isFine`. */
function* wholeText(path: string, world: World, say: string, isFine: (why: string) => boolean): Work<string | undefined> {
  const parts: string[] = [];
  let offset = 1;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const outcome = yield world.tools.read(path, offset === 1 ? {} : { offset }, say);
    if (outcome.isError) {
      if (isFine(outcome.text)) return undefined;
      throw new StepFailed(`I could not read ${code(path)}: ${reason(outcome)}`);
    }
    if (outcome.images > 0) throw new StepFailed(`${code(path)} is an image, not text.`);
    if (isCutLine(outcome.text)) throw new StepFailed(`${code(path)} has a line too long for me to change.`);
    const { text, next } = readText(outcome);
    parts.push(text);
    if (next === undefined || next <= offset) return parts.join('\n').replaceAll('\r\n', '\n');
    offset = next;
  }
  throw new StepFailed(`${code(path)} is too long for me to change.`);
}

/** Only what is surely not there may be made anew: a folder, an image or a closed file must not be written over. */
const isMissing = (why: string): boolean => /no such file|ENOENT|not found|does not exist/i.test(why);

const changing = (path: string, oldText: string, newText: string): string =>
  newText === ''
    ? `I take ${short(oldText)} out of ${code(path)}.`
    : `I change ${short(oldText)} to ${short(newText)} in ${code(path)}.`;

function changed(path: string, oldText: string, newText: string, count: number): string {
  const times = count === 1 ? '' : ` ${count} times`;
  return newText === ''
    ? `I took ${short(oldText)} out of ${code(path)}${times}.`
    : `I changed ${short(oldText)} to ${short(newText)} in ${code(path)}${times}.`;
}

function short(text: string): string {
  const line = text.replace(/\n/g, '⏎');
  return code(line.length > 60 ? `${line.slice(0, 59)}…` : line);
}
