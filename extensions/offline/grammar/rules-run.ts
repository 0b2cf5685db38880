import { type Clause, folderOf, type Rule, rule } from './rule.js';
import type { Step } from './steps.js';

const SCRIPT = /\.(js|mjs|cjs|sh|bash|py|ts|mts|rb|pl|php)$/;
/** "run a marathon", "run me through it": no commands. */
const NOT_A_COMMAND = new Set(
  'a an the me us some any my your our away into out off all this that these those through for again it them everything something'.split(
    ' ',
  ),
);

const run = (command: string, folder: string, timeout: number | undefined): Step[] => [
  { kind: 'run', command: command.trim(), folder, ...(timeout === undefined ? {} : { timeout }) },
];

const VERB = 'run|execute|try|start|launch|invoke|do|use|call|rerun';

/** A request that begins with one of these is the command itself … */
const PROGRAMS = 'git|npm|npx|node|python|python3|pip|pip3|cargo|yarn|pnpm|deno|bun|docker|tsc';
/** … and with one of these when it has an option. */
const SHELL_WORDS = 'ls|grep|cat|find|wc|head|tail|sort|sed|awk|tree|du|df|rm|cp|mv|mkdir|echo|diff|sudo|chmod';

const wholeOf = (clause: Clause): string => {
  const [first] = clause.tokens;
  const last = clause.tokens.at(-1);
  return first && last ? clause.source.slice(first.start, last.end) : '';
};

export const RUN_RULES: readonly Rule[] = [
  rule(
    [
      `${VERB} [ the ] [ same|last|previous ] command again`,
      `run|execute|try|do it|that again`,
      'rerun it',
      'repeat it',
      'repeat that',
      'repeat the [ last ] command',
    ],
    () => [{ kind: 'runAgain' }],
  ),
  rule(
    [
      `${VERB} [ the|my|our|all ] [ the ] [ unit|project|project's ] tests|test|checks|check|testsuite [ suite|suites ] [ in|of|from <the> project ]`,
      'check that the tests [ still ] pass',
      'check whether|if the tests [ still ] pass',
      'do the tests [ still ] pass',
      'test the project|code|package',
      'run the project tests|checks',
    ],
    (_, clause) => run('npm test', folderOf({}, clause), clause.timeout),
  ),
  rule(
    [
      'build [ the|this|my ] project|package|app|code',
      `${VERB} the build`,
      `${VERB} [ the ] linter`,
      'lint [ the|this ] project|code',
    ],
    (_, clause) =>
      run(clause.tokens.some((token) => token.lower.startsWith('lint')) ? 'npm run lint' : 'npm run build', '', clause.timeout),
  ),
  rule([`${VERB} the {name:one} script`, `${VERB} the npm script {name:one}`], ({ name }, clause) => {
    if (!name || SCRIPT.test(name.text) || !/^[\w:.-]+$/.test(name.text)) return undefined;
    return run(`npm run ${name.text}`, folderOf({}, clause), clause.timeout);
  }),
  rule(
    [
      `${VERB} [ the ] [ following|shell|bash|terminal ] [ command|commands|line ] {command:data} [ command ] in|from|inside {folder:folder}`,
      `${VERB} [ the ] [ following|shell|bash|terminal ] [ command|commands|line ] {command:data} [ command ]`,
      'use [ the ] bash|shell|terminal [ tool ] [ to run|execute ] {command:data}',
      'what does|do [ the ] [ command ] {command:code} print|say|output|give|return|show|do|tell',
      'what is the output|result of [ running ] [ the ] [ command ] {command:code}',
      'see|show|check|give [ me ] [ what|the ] [ output|result|results ] [ of ] [ running ] {command:code} [ says|prints|gives|outputs ]',
      'does|do {command:code} pass|work|succeed|run',
      'check that|if|whether {command:code} passes|works|succeeds|runs',
      '{command:code}',
    ],
    (captures, clause) => {
      const { command } = captures;
      if (!command) return undefined;
      // A file in backticks alone is to be read, and after "run" it is a script.
      if (SCRIPT.test(command.text) && !/\s/.test(command.text)) return undefined;
      if (clause.tokens.length === 1 && /^[\w./-]+\.\w+$/.test(command.text)) return undefined;
      return run(command.text, folderOf(captures, clause), clause.timeout);
    },
  ),
  rule(
    [
      `${VERB} [ the ] [ commands ] {one:data} and [ then ] [ ${VERB} ] {two:data}`,
      `${VERB} {one:data} {two:data} and {three:data}`,
    ],
    ({ one, two, three }, clause) =>
      [one, two, three].flatMap((command) => (command ? run(command.text, folderOf({}, clause), clause.timeout) : [])),
  ),
  rule([`run|execute|start|launch|try [ the ] [ script|program|file ] {file:file} [ again ]`], ({ file }, clause) => {
    if (!file?.file) return undefined;
    if (file.file.kind === 'path' && !SCRIPT.test(file.file.path)) return undefined;
    return [{ kind: 'runFile', file: file.file, ...(clause.timeout === undefined ? {} : { timeout: clause.timeout }) }];
  }),
  rule(
    [
      `run|execute|launch [ the ] [ following|shell|bash|terminal ] [ command|commands ] {command:raw}`,
      'start {command:raw}',
      '$ {command:raw}',
    ],
    (captures, clause) => {
      const { command } = captures;
      const [first] = command?.tokens ?? [];
      if (!command || !first || NOT_A_COMMAND.has(first.lower) || (first.lower === '' && first.kind !== 'quoted'))
        return undefined;
      return run(command.text, folderOf({}, clause), clause.timeout);
    },
  ),
  rule(['show|check|see|print|get|what [ is ] [ me ] [ the ] git status|log|diff|branch'], (_, clause) =>
    run(`git ${clause.tokens.at(-1)?.lower}`, '', clause.timeout),
  ),
  rule([`${PROGRAMS} {rest:raw}`], (_, clause) => run(wholeOf(clause), '', clause.timeout)),
  rule([`${SHELL_WORDS} {rest:raw}`], ({ rest }, clause) =>
    rest?.tokens.some((token) => /^-{1,2}[a-z]/i.test(token.text) || token.text === '|')
      ? run(wholeOf(clause), '', clause.timeout)
      : undefined,
  ),
  rule(['pwd|whoami|hostname|date|uptime'], (_, clause) => run(wholeOf(clause), '', clause.timeout)),
];
