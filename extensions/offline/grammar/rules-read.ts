import type { Captures } from './pattern.js';
import { type Clause, fileOf, type Rule, rule } from './rule.js';
import { type CountUnit, type FileRef, IT, type LineRange, type Step } from './steps.js';

const SHOW = 'read|show|open|print|display|cat|view|see|give|output|dump|type|check|inspect|examine|quote|get|look';
const OF = '[ <in> {file:word} ]';
/** How many lines "the top of" a file has. */
const SOME_LINES = 10;

function read(captures: Captures, clause: Clause, lines: LineRange): Step[] {
  return [{ kind: 'read', file: fileOf(captures, clause), lines }];
}

function range(from: number | undefined, to: number | undefined): LineRange | undefined {
  if (from === undefined || from < 1 || (to !== undefined && to < from)) return undefined;
  return to === undefined ? { from } : { from, count: to - from + 1 };
}

export const RANGE_RULES: readonly Rule[] = [
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] [ the ] [ only|just ] lines|line {a:number} to|through|until|till|and|- [ line ] {b:number} ${OF}`,
      `${SHOW} [ me ] [ at ] {file:word} [ from ] [ lines|line ] {a:number} to|through|until|till|- [ line ] {b:number}`,
      `what is|are|stands on|in|at lines|line {a:number} to|through|until|and|- {b:number} ${OF}`,
      `what does|do lines|line {a:number} to|through|until|and|- {b:number} ${OF} say|contain`,
    ],
    (captures, clause) => {
      const lines = range(captures.a?.range?.[0], captures.b?.range?.[0]);
      return lines && read(captures, clause, lines);
    },
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] [ the ] [ only|just ] lines|line {r:range} ${OF}`,
      `${SHOW} [ me ] {file:word} lines|line {r:range}`,
      `{file:file} lines|line {r:range}`,
      `what is|are on|in|at lines|line {r:range} ${OF}`,
    ],
    (captures, clause) => {
      const lines = range(captures.r?.range?.[0], captures.r?.range?.[1]);
      return lines && read(captures, clause, lines);
    },
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] {file:file} from|starting|beginning [ at|from|with ] line {a:number} [ on|onwards|onward ]`,
      `[ ${SHOW} ] [ me ] [ everything ] from|starting|beginning [ at|from|with ] line {a:number} [ on|onwards ] ${OF}`,
    ],
    (captures, clause) => {
      const lines = range(captures.a?.range?.[0], undefined);
      return lines && read(captures, clause, lines);
    },
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] [ the ] [ only|just ] line [ number ] {a:number} ${OF}`,
      `${SHOW} [ me ] {file:word} line {a:number}`,
      `{file:file} line {a:number}`,
      `what is|stands on|in|at line {a:number} ${OF}`,
      `what does line {a:number} ${OF} say|contain|do`,
    ],
    (captures, clause) => {
      const at = captures.a?.range?.[0];
      const lines = range(at, at);
      return lines && read(captures, clause, lines);
    },
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] [ just|only ] [ the|its ] first|top|initial {n:number} lines|line ${OF}`,
      `[ ${SHOW} ] [ me ] first|top {n:number} lines|line ${OF}`,
      `what are the first {n:number} lines ${OF}`,
      `head -n {n:number} {file:word}`,
    ],
    (captures, clause) => read(captures, clause, { count: captures.n?.range?.[0] ?? SOME_LINES }),
  ),
  rule([`[ ${SHOW} ] [ me ] [ at ] [ the|its ] first|top line ${OF}`, `what is the first line ${OF}`], (captures, clause) =>
    read(captures, clause, { count: 1 }),
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] the|its top|beginning|start|head|first [ lines|few|part ] [ lines ] <in> {file:word}`,
      'head [ of ] {file:word}',
    ],
    (captures, clause) => read(captures, clause, { count: SOME_LINES }),
  ),
  rule(
    [
      `[ ${SHOW} ] [ me ] [ at ] [ just|only ] [ the|its ] last|bottom|final {n:number} lines|line ${OF}`,
      `what are the last {n:number} lines ${OF}`,
    ],
    (captures, clause) => read(captures, clause, { last: captures.n?.range?.[0] ?? SOME_LINES }),
  ),
  rule(
    [`[ ${SHOW} ] [ me ] [ at ] [ the|its ] last|bottom|final line ${OF}`, `what is the last|final line ${OF}`],
    (captures, clause) => read(captures, clause, { last: 1 }),
  ),
  rule([`[ ${SHOW} ] [ me ] [ at ] the|its end|bottom|tail <in> {file:word}`, 'tail [ of ] {file:word}'], (captures, clause) =>
    read(captures, clause, { last: SOME_LINES }),
  ),
];

export const READ_RULES: readonly Rule[] = [
  rule(['find|locate and read|open|show|display|print|view [ me ] {file:file}'], ({ file }, clause) => {
    if (file?.file?.kind !== 'path') return undefined;
    const find: Step = {
      kind: 'find',
      glob: file.file.path,
      folder: '',
      ignoreCase: clause.ignoreCase,
      folders: false,
      wanted: 'paths',
    };
    return [find, { kind: 'read', file: IT, lines: {} }];
  }),
  rule(
    [
      `${SHOW} [ me ] [ at ] [ all ] [ the ] [ whole|full|entire|complete ] [ content|contents|text|source|code|rest ] [ code ] [ of|in|from|inside ] [ both|all ] {files:files} [ out ] [ to|for me ]`,
      `${SHOW} [ me ] [ into|at|inside|through ] {files:files}`,
      `what is|are [ written|stored|the content|the contents|the text ] [ of|in|inside ] {files:files}`,
      `what is the content|contents|text of {files:files}`,
      `what does|do {files:files} say|contain|look|do|have|hold|include|read [ like ]`,
      `how does|do {files:files} look [ like ]`,
      `show|tell me what {files:files} says|contains|say|contain|looks [ like ]`,
      `show|tell me what is [ written ] in|inside {files:files}`,
      `see|check|look what {files:files} says|contains|say|contain`,
      `see|check|look what is [ written ] in|inside {files:files}`,
      `what|which text|words is|are in {files:files}`,
      `go|look|read through {files:files}`,
    ],
    ({ files }) => readAll(files?.files),
  ),
  rule([`${SHOW} [ me ] its|the [ whole|full ] content|contents|text`], (captures, clause) => read(captures, clause, {})),
  rule(['read|cat|open|view {file:word}'], (captures, clause) => {
    const { file } = captures;
    return file?.file && !/^(everything|all|me|more)$/.test(file.text) ? read(captures, clause, {}) : undefined;
  }),
  rule(['{files:files}'], ({ files }) =>
    files?.files?.every((file) => file.kind === 'path') ? readAll(files.files) : undefined,
  ),
];

function readAll(files: readonly FileRef[] | undefined): Step[] | undefined {
  return files?.map((file) => ({ kind: 'read', file, lines: (file.kind === 'path' ? file.lines : undefined) ?? {} }));
}

const UNITS: Readonly<Record<string, CountUnit>> = {
  line: 'lines',
  word: 'words',
  character: 'characters',
  char: 'characters',
  letter: 'characters',
  byte: 'bytes',
};

export const COUNT_RULES: readonly Rule[] = [
  rule(
    [
      `count [ the ] [ number of ] [ all ] [ the ] {unit:one} [ of code|text ] <in> {file:word}`,
      `count [ the ] [ number of ] {unit:one}`,
      `count {file:file} {unit:one}`,
      `how many {unit:one} [ of code|text ] does|do|has|have {file:word} have|contain|has|hold|count`,
      `how many {unit:one} [ of code|text ] are|is [ there ] <in> {file:word}`,
      `how many {unit:one} [ of code ] [ are there ]`,
      `what is|give|show|get|tell|print [ me ] [ the ] {unit:one} count|number <in> {file:word}`,
      `what is|give|show|get|tell|print [ me ] [ the ] number of {unit:one} <in> {file:word}`,
    ],
    (captures, clause) => {
      const unit = UNITS[captures.unit?.text.toLowerCase().replace(/s$/, '') ?? ''];
      return unit && [{ kind: 'count', file: fileOf(captures, clause), unit }];
    },
  ),
  rule(['how long is|are {file:word}'], (captures, clause) => [{ kind: 'count', file: fileOf(captures, clause), unit: 'lines' }]),
  rule(['how big|large is {file:word}', 'what is the size of {file:word}'], (captures, clause) => [
    { kind: 'count', file: fileOf(captures, clause), unit: 'bytes' },
  ]),
];
