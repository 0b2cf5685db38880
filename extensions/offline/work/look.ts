import type { FindStep, LineRange, SearchStep, Step } from '../grammar/steps.js';
import { bullets, code, excerpt, linesOf, plural } from './excerpt.js';
import {
  commandOutcome,
  countLines,
  foundMatches,
  foundPaths,
  listedNames,
  type Match,
  type Outcome,
  readText,
} from './outcome.js';
import { shellQuote } from './toolbox.js';
import { resolveFiles, StepFailed, type StepReport, type Work, type World } from './world.js';

/** The steps that only look: list, find, search, read, count. */
const MAX_NAMES = 40;
const MAX_PATHS = 20;
const MAX_MATCHES = 12;
const MAX_READ = 40;
/** Files read for one "them". */
const MAX_READ_FILES = 5;

export function* list(step: Extract<Step, { kind: 'list' }>, world: World): Work<StepReport> {
  const call = world.tools.list(step.folder);
  const outcome = yield call;
  const shown = step.folder === '' ? 'This folder' : code(step.folder);
  if (outcome.isError) throw new StepFailed(`I could not list ${step.folder === '' ? 'this folder' : shown}: ${reason(outcome)}`);
  const names = listedNames(outcome, call.tool);
  world.listed = names.filter((name) => !name.endsWith('/')).map((name) => inFolder(step.folder, name));
  if (names.length === 0) return { ok: true, text: `${shown} is empty.` };
  const folders = names.filter((name) => name.endsWith('/')).length;
  const kinds = [
    ...(names.length - folders > 0 ? [plural(names.length - folders, 'file')] : []),
    ...(folders > 0 ? [plural(folders, 'folder')] : []),
  ].join(' and ');
  return { ok: true, text: `${shown} has ${kinds}:\n${bullets(names, MAX_NAMES)}` };
}

const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder.replace(/\/+$/, '')}/${name}`);

export function* find(step: FindStep, world: World): Work<StepReport> {
  const call = world.tools.find(step);
  const outcome = yield call;
  const { exitCode } = commandOutcome(outcome);
  // The find command complains about folders it may not enter, and still finds.
  if (outcome.isError && !(call.tool === 'bash' && exitCode === 1 && foundPaths(outcome, call.tool).length > 0)) {
    throw new StepFailed(`I could not look for ${code(step.glob)}: ${reason(outcome)}`);
  }
  const paths = foundPaths(outcome, call.tool).filter((path) => path.endsWith('/') === (step.folders && call.tool === 'find'));
  world.files = step.folders ? [] : paths;
  world.listed = undefined;
  const what = step.folders ? 'folder' : 'file';
  const place = step.folder === '' ? '' : ` in ${code(step.folder)}`;
  const named = step.glob === '*' ? '' : ` named ${code(step.glob)}`;
  if (paths.length === 0) return { ok: true, text: `I found no ${what}${named}${place}.` };
  return { ok: true, text: `I found ${plural(paths.length, what)}${named}${place}:\n${bullets(paths, MAX_PATHS)}` };
}

/** Searches and leaves the files with matches as "them". */
export function* searchFor(step: SearchStep, world: World): Work<Match[]> {
  const places = step.scope.kind === 'folder' ? [step.scope.path] : step.scope.files.flatMap((file) => resolveFiles(file, world));
  const matches: Match[] = [];
  for (const place of places) {
    const call = world.tools.search(step.text, place, step);
    const outcome = yield call;
    const none = call.tool === 'bash' && commandOutcome(outcome).exitCode === 1;
    if (outcome.isError && !none)
      throw new StepFailed(`I could not search ${place === '' ? 'here' : code(place)}: ${reason(outcome)}`);
    matches.push(...foundMatches(outcome, call.tool, place));
  }
  world.files = [...new Set(matches.map((match) => match.path))];
  world.searched = step.text;
  world.listed = undefined;
  return matches;
}

export function* search(step: SearchStep, world: World): Work<StepReport> {
  const matches = yield* searchFor(step, world);
  const where = step.scope.kind === 'folder' && step.scope.path !== '' ? ` in ${code(step.scope.path)}` : '';
  if (matches.length === 0) return { ok: true, text: `I found no match for ${code(step.text)}${where}.` };
  const files = world.files.length;
  const lines = matches.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`);
  if (step.wanted === 'files') {
    return { ok: true, text: `${plural(files, 'file')} with ${code(step.text)}${where}:\n${bullets(world.files, MAX_PATHS)}` };
  }
  const counted = `${plural(matches.length, 'line')} with ${code(step.text)} in ${plural(files, 'file')}`;
  return { ok: true, text: `I found ${counted}:\n${excerpt(lines, MAX_MATCHES)}` };
}

export function* read(step: Extract<Step, { kind: 'read' }>, world: World): Work<StepReport> {
  const files = resolveFiles(step.file, world);
  const before = world.files.length;
  const shown = files.slice(0, MAX_READ_FILES);
  const texts: string[] = [];
  for (const path of shown) texts.push(yield* readOne(path, step.lines, world));
  if (files.length > shown.length) texts.push(`I read the first ${shown.length} of ${files.length} files.`);
  if (step.file.kind === 'it' && before > 1) texts.push(`That is the first of ${before} files.`);
  world.files = files;
  return { ok: true, text: texts.join('\n\n') };
}

function* readOne(path: string, lines: LineRange, world: World): Work<string> {
  const name = code(path);
  if (lines.last !== undefined && world.tools.has('bash')) {
    const { last } = lines;
    const outcome = yield world.tools.bash(
      `tail -n ${last} -- ${shellQuote(path)}`,
      `I read the last ${plural(last, 'line')} of ${name}.`,
    );
    if (outcome.isError) throw new StepFailed(`I could not read ${name}: ${reason(outcome)}`);
    return `The last ${plural(last, 'line')} of ${name}:\n${excerpt(linesOf(commandOutcome(outcome).output), MAX_READ, 'end')}`;
  }
  const range = {
    ...(lines.from !== undefined ? { offset: lines.from } : {}),
    ...(lines.count !== undefined ? { limit: lines.count } : {}),
  };
  const outcome = yield world.tools.read(path, range, `I read ${rangeName(lines)}${name}.`);
  if (outcome.isError) throw new StepFailed(`I could not read ${name}: ${reason(outcome)}`);
  if (outcome.images > 0)
    return `${name} is an image. I can't see images; ${outcome.text.trim() || 'the tool gave no text with it'}.`;
  const { text, left } = readText(outcome);
  if (lines.last !== undefined) {
    return `The last ${plural(lines.last, 'line')} of ${name}:\n${excerpt(linesOf(text).slice(-lines.last), MAX_READ, 'end')}`;
  }
  const read = linesOf(text);
  if (read.length === 0) return lines.from === undefined ? `${name} is empty.` : `${name} has no such lines.`;
  const isPart = lines.from !== undefined || lines.count !== undefined;
  const first = lines.from ?? 1;
  const size = read.length === 1 ? `line ${first}` : `lines ${first} to ${first + read.length - 1}`;
  const total = isPart ? size : plural(countLines(text) + left, 'line');
  return `${name} (${total}):\n${excerpt(read, MAX_READ)}`;
}

function rangeName({ from, count, last }: LineRange): string {
  if (last !== undefined) return 'the end of ';
  if (from === undefined) return count === undefined ? '' : `the first ${plural(count, 'line')} of `;
  if (count === undefined) return `what follows from line ${from} of `;
  return count === 1 ? `line ${from} of ` : `lines ${from} to ${from + count - 1} of `;
}

const FLAGS = { lines: '-l', words: '-w', characters: '-m', bytes: '-c' } as const;

export function* count(step: Extract<Step, { kind: 'count' }>, world: World): Work<StepReport> {
  const files = resolveFiles(step.file, world);
  const texts: string[] = [];
  for (const path of files) {
    const number = yield* countOne(path, step.unit, world);
    const unit = number === 1 ? step.unit.slice(0, -1) : step.unit;
    texts.push(`${code(path)} has ${number} ${unit}.`);
  }
  world.files = files;
  return { ok: true, text: texts.join('\n') };
}

function* countOne(path: string, unit: keyof typeof FLAGS, world: World): Work<number> {
  const say = `I count the ${unit} of ${code(path)}.`;
  if (world.tools.has('bash')) {
    const outcome = yield world.tools.bash(`wc ${FLAGS[unit]} -- ${shellQuote(path)}`, say);
    const number = /^\s*(\d+)/.exec(commandOutcome(outcome).output)?.[1];
    if (outcome.isError || number === undefined) throw new StepFailed(`I could not count in ${code(path)}: ${reason(outcome)}`);
    return Number(number);
  }
  let lines = 0;
  let words = 0;
  let characters = 0;
  let bytes = 0;
  for (let offset: number | undefined = 1; offset !== undefined; ) {
    const outcome: Outcome = yield world.tools.read(path, offset === 1 ? {} : { offset }, say);
    if (outcome.isError) throw new StepFailed(`I could not read ${code(path)}: ${reason(outcome)}`);
    const { text, next, left } = readText(outcome);
    if (unit === 'lines') return countLines(text) + left;
    lines += countLines(text);
    words += text.split(/\s+/).filter((word) => word !== '').length;
    // The line break before the tool's remark is not in what it gives.
    const joined = next === undefined ? text : `${text}\n`;
    characters += [...joined].length;
    bytes += Buffer.byteLength(joined);
    offset = next !== undefined && next > offset ? next : undefined;
  }
  return { lines, words, characters, bytes }[unit];
}

/** Why a tool failed, in its own words, on one line. */
export function reason(outcome: Outcome): string {
  const { output, ending } = commandOutcome(outcome);
  const text = (output.trim() || ending || outcome.text.trim()).replace(/\s*\n\s*/g, ' ');
  return text.length > 300 ? `${text.slice(0, 299)}…` : text || 'the tool gave no reason.';
}
