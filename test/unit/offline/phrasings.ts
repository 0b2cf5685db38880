/** Requests in plain English and the call each must lead to when all built-in tools are active: `[words, tool, arguments]`. */
export type Phrasing = readonly [words: string, tool: string, args: Record<string, unknown>];

const ls = (words: string, path?: string): Phrasing => [words, 'ls', path === undefined ? {} : { path }];
const find = (words: string, pattern: string, path?: string): Phrasing => [
  words,
  'find',
  path === undefined ? { pattern } : { pattern, path },
];
const grep = (words: string, pattern: string, more: Record<string, unknown> = {}): Phrasing => [
  words,
  'grep',
  { pattern, ...more },
];
const read = (words: string, path: string, lines: Record<string, number> = {}): Phrasing => [words, 'read', { path, ...lines }];
const bash = (words: string, command: string, timeout?: number): Phrasing => [
  words,
  'bash',
  timeout === undefined ? { command } : { command, timeout },
];
const write = (words: string, path: string, content: string): Phrasing => [words, 'write', { path, content }];
const edit = (words: string, path: string, oldText: string, newText: string): Phrasing => [
  words,
  'edit',
  { path, edits: [{ oldText, newText }] },
];

export const LISTING: readonly Phrasing[] = [
  ls('list files'),
  ls('ls'),
  ls('What is in here?'),
  ls('Which files are there?'),
  ls('Could you please list the current directory?'),
  ls("I'd like you to list the files here, thanks"),
  ls('List the files in src', 'src'),
  ls('list src/', 'src/'),
  ls('show me the files in the src folder', 'src'),
  ls("what's in the src folder?", 'src'),
  ls('Hi! What files are in src?', 'src'),
  ls('show me the contents of the directory "my docs"', 'my docs'),
  ls("please list all files in 'my folder'", 'my folder'),
  ls('how many files are in data?', 'data'),
  ls('list files in /tmp', '/tmp'),
];

export const FINDING: readonly Phrasing[] = [
  find('find README.md', 'README.md'),
  find('Where is config.json?', 'config.json'),
  find('locate the file "report final.pdf"', 'report final.pdf'),
  find("Find the file 'it's here.txt'", "it's here.txt"),
  find('find files named "my notes.txt" in docs', 'my notes.txt', 'docs'),
  find('is there a file called setup.py', 'setup.py'),
  find('does package.json exist?', 'package.json'),
  find('find all .md files', '*.md'),
  find('find all TypeScript files in src', '*.ts', 'src'),
  find('which markdown files are there?', '*.md'),
  find('list all *.test.js files', '*.test.js'),
  find('find files ending in .css', '*.css'),
  find('find files with test in the name', '*test*'),
  find('how many .ts files are in src?', '*.ts', 'src'),
  find('list all files recursively', '*'),
  find('show the project structure', '*'),
  find('where is the readme?', '[rR][eE][aA][dD][mM][eE].[mM][dD]'),
  find('find the file "data [1].csv"', 'data \\[1\\].csv'),
];

export const READING: readonly Phrasing[] = [
  read('read README.md', 'README.md'),
  read('README.md', 'README.md'),
  read('Can you show me src/a.js?', 'src/a.js'),
  read('open "my file.txt"', 'my file.txt'),
  read('open \'my "odd" file.txt\'', 'my "odd" file.txt'),
  read('read "say \\"hi\\".txt"', 'say "hi".txt'),
  read('read the file called my notes.txt', 'my notes.txt'),
  read('What does README.md say?', 'README.md'),
  read('what is in README.md?', 'README.md'),
  read('print the contents of data/week.csv', 'data/week.csv'),
  read('would you mind reading `notes.md` for me?', 'notes.md'),
  read('show me the readme', 'README.md'),
  read('show lines 3 to 10 of README.md', 'README.md', { offset: 3, limit: 8 }),
  read('read lines 3-10 of README.md', 'README.md', { offset: 3, limit: 8 }),
  read('read src/a.js:10-20', 'src/a.js', { offset: 10, limit: 11 }),
  read('show the first five lines of README.md', 'README.md', { limit: 5 }),
  read("What's on line 7 of a.txt?", 'a.txt', { offset: 7, limit: 1 }),
  read('read a.txt from line 10', 'a.txt', { offset: 10 }),
  bash('show the last 3 lines of "my file.txt"', "tail -n 3 -- 'my file.txt'"),
];

export const SEARCHING: readonly Phrasing[] = [
  grep('search for TODO', 'TODO'),
  grep('Which files mention TODO?', 'TODO'),
  grep('Find the TODO notes', 'TODO'),
  grep('how many TODOs are there?', 'TODO'),
  grep('look for "hello world" in src/a.js', 'hello world', { path: 'src/a.js' }),
  grep('search src for total', 'total', { path: 'src' }),
  grep('grep TODO src', 'TODO', { path: 'src' }),
  grep('find all occurrences of foo in src', 'foo', { path: 'src' }),
  grep('where is getUser used?', 'getUser'),
  grep('find where total is defined', 'total'),
  grep('show me all lines containing error in log.txt', 'error', { path: 'log.txt' }),
  grep('does a.txt contain hello?', 'hello', { path: 'a.txt' }),
  grep('how often does "the" occur in README.md?', 'the', { path: 'README.md' }),
  grep('In src/a.js, search for foo.', 'foo', { path: 'src/a.js' }),
  grep('search for "Foo" ignoring case', 'Foo', { ignoreCase: true }),
  grep('search for "f(x)" in src', 'f(x)', { path: 'src', literal: true }),
  grep('search for the regex "fo+" in src', 'fo+', { path: 'src' }),
  grep('Search for "it\'s fine" in "my notes.md"', "it's fine", { path: 'my notes.md' }),
  grep('search for read and write', 'read and write'),
];

export const WRITING: readonly Phrasing[] = [
  write('write "hello" to a.txt', 'a.txt', 'hello'),
  write('Create a file a.txt with content "hello world"', 'a.txt', 'hello world'),
  write('create a file called "my notes.txt" containing "buy milk"', 'my notes.txt', 'buy milk'),
  write('create a file called my notes.txt with "buy milk"', 'my notes.txt', 'buy milk'),
  write('put "x = 1" into config.ini', 'config.ini', 'x = 1'),
  write('Please save \'hello\' as "a b.txt".', 'a b.txt', 'hello'),
  write('write hello world to hello.txt', 'hello.txt', 'hello world'),
  write('make a new file hello.md that says "hi"', 'hello.md', 'hi'),
  write('create "notes/to do.md" with "- one\\n- two"', 'notes/to do.md', '- one\n- two'),
  write('create an empty file b.txt', 'b.txt', ''),
  write('Write the following to notes.txt:\nfirst, run this\nthen read that', 'notes.txt', 'first, run this\nthen read that\n'),
  write('create run.sh with:\n```sh\necho hi\n```', 'run.sh', 'echo hi\n'),
  write('write a.txt: "hi"', 'a.txt', 'hi'),
];

export const EDITING: readonly Phrasing[] = [
  edit('replace foo with bar in a.txt', 'a.txt', 'foo', 'bar'),
  edit('change "foo" to "bar" in "my file.txt"', 'my file.txt', 'foo', 'bar'),
  edit("Please change 'alpha' to 'beta' in 'my file.txt'.", 'my file.txt', 'alpha', 'beta'),
  edit('in a.txt replace foo by bar', 'a.txt', 'foo', 'bar'),
  edit('replace foo in a.txt with bar', 'a.txt', 'foo', 'bar'),
  edit('edit a.txt and replace "foo" with "bar"', 'a.txt', 'foo', 'bar'),
  edit('find and replace foo with bar in a.txt', 'a.txt', 'foo', 'bar'),
  edit('change the title to Weather in Berlin in README.md', 'README.md', 'title', 'Weather in Berlin'),
  edit('Update the version "1.0.0" to "1.0.1" in package.json', 'package.json', '1.0.0', '1.0.1'),
  edit('remove "foo" from a.txt', 'a.txt', 'foo', ''),
  edit('fix the typo "teh" to "the" in README.md', 'README.md', 'teh', 'the'),
  // These look first, so as to change each place exactly.
  read('replace all foo with bar in a.txt', 'a.txt'),
  read('rename the function total to sum in src/a.js', 'src/a.js'),
  read('append "more" to a.txt', 'a.txt'),
  grep('rename getUser to fetchUser everywhere', 'getUser'),
  bash('rename a.txt to "b c.txt"', "mv -- 'a.txt' 'b c.txt'"),
  bash('copy a.txt to b.txt', "cp -- 'a.txt' 'b.txt'"),
  bash('create a folder called "my docs"', "mkdir -p -- 'my docs'"),
];

export const RUNNING: readonly Phrasing[] = [
  bash('run npm test', 'npm test'),
  bash('Run `npm test`, please', 'npm test'),
  bash('run "node src/report.js"', 'node src/report.js'),
  bash("execute the following command: 'npm run lint'", 'npm run lint'),
  bash('could you run the tests?', 'npm test'),
  bash('run src/report.js', "node 'src/report.js'"),
  bash('run the script "my check.sh"', "sh 'my check.sh'"),
  bash('what does `git status` say?', 'git status'),
  bash("run echo 'hi there'", "echo 'hi there'"),
  bash('run ls | wc -l', 'ls | wc -l'),
  bash('git log --oneline -5', 'git log --oneline -5'),
  bash('run `make` in "my folder"', "cd 'my folder' && make"),
  bash('run `sleep 5` with a timeout of 2 seconds', 'sleep 5', 2),
  bash('run `rm -rf ./build`', 'rm -rf ./build'),
];

export const COUNTING: readonly Phrasing[] = [
  bash('how many lines does a.txt have?', "wc -l -- 'a.txt'"),
  bash('Can you tell me how many lines are in "my file.txt", please?', "wc -l -- 'my file.txt'"),
  bash('count the words in a.txt', "wc -w -- 'a.txt'"),
  bash('how big is a.txt', "wc -c -- 'a.txt'"),
];

/** With the tools that are active by default: bash stands in for ls, find and grep. */
export const WITH_BASH: readonly Phrasing[] = [
  bash('list files', 'ls -la'),
  bash('list the files in "it\'s mine"', "ls -la -- 'it'\\''s mine'"),
  bash('find *.md in docs', "find 'docs' -type f -name '*.md' -not -path '*/.git/*' -not -path '*/node_modules/*'"),
  bash(
    'find all YAML files',
    "find . -type f \\( -name '*.yml' -o -name '*.yaml' \\) -not -path '*/.git/*' -not -path '*/node_modules/*'",
  ),
  bash('search for "a b" in src', "grep -rnIF --exclude-dir=.git --exclude-dir=node_modules -e 'a b' -- 'src'"),
];
