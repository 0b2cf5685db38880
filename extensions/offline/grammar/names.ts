/** What tells the name of a file from other words. */
const EXTENSIONS = new Set(
  (
    'md markdown txt text rst adoc log csv tsv json json5 jsonc jsonl ndjson yaml yml toml ini cfg conf env properties xml svg html htm css scss sass less ' +
    'js mjs cjs jsx ts mts cts tsx vue svelte py rb php pl lua go rs java kt kts scala c h cc cpp hpp cs swift m sh bash zsh fish ps1 bat cmd sql ' +
    'graphql proto tex bib r jl ex exs erl hs clj dart zig nim lock map diff patch pdf png jpg jpeg gif webp ico zip gz tar tgz wasm ipynb dockerfile bak tmp out'
  ).split(' '),
);

const BARE_FILES = new Set(
  'makefile dockerfile license licence procfile gemfile rakefile jenkinsfile authors contributing changelog readme'.split(' '),
);

/** How people call a file without its extension, and the name it has. */
const SPOKEN: Readonly<Record<string, string>> = {
  readme: 'README.md',
  changelog: 'CHANGELOG.md',
  license: 'LICENSE',
  licence: 'LICENCE',
  makefile: 'Makefile',
  dockerfile: 'Dockerfile',
};

const BARE_FOLDERS = new Set(
  'src lib test tests spec docs doc dist build bin examples scripts core app data notes assets public tools extensions skills prompts packages vendor config'.split(
    ' ',
  ),
);

/** `{ plural or singular: extensions }` of kinds of files by their everyday name. */
export const FILE_KINDS: Readonly<Record<string, string>> = {
  javascript: '*.js',
  js: '*.js',
  typescript: '*.ts',
  ts: '*.ts',
  python: '*.py',
  markdown: '*.md',
  md: '*.md',
  json: '*.json',
  yaml: '*.{yml,yaml}',
  html: '*.html',
  css: '*.css',
  csv: '*.csv',
  text: '*.txt',
  txt: '*.txt',
  shell: '*.sh',
  log: '*.log',
  go: '*.go',
  rust: '*.rs',
  java: '*.java',
  ruby: '*.rb',
};

const ANY_EXTENSION = /[^/\s]\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** A name with a common extension, a dot file, or a path with a slash: surely a file or folder. */
export function isClearlyPath(word: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || /[(){}<>=;|$]/.test(word)) return false;
  if (/^(\.{1,2}|~)?\//.test(word) || /^\.[\w-]{2,}$/.test(word)) return true;
  const extension = /[^/\s]\.([A-Za-z0-9]+)$/.exec(word)?.[1];
  if (extension !== undefined && EXTENSIONS.has(extension.toLowerCase())) return true;
  return /^[\w.@-]+(\/[\w.@-]+)+\/?$/.test(word) || /^[\w.@-]+\/$/.test(word);
}

/** May name a file where one is expected. */
export const isFileName = (word: string): boolean =>
  isClearlyPath(word) || ANY_EXTENSION.test(word) || BARE_FILES.has(word.toLowerCase());

/** Names a file rather than a folder. */
export const isFileNotFolder = (word: string): boolean =>
  !word.endsWith('/') && (hasExtension(word) || BARE_FILES.has(word.toLowerCase()));

export const isGlob = (word: string): boolean => /[*?]/.test(word) || /\{[^}]*,[^}]*\}/.test(word);

export const isBareFolder = (word: string): boolean => BARE_FOLDERS.has(word.toLowerCase());

/** `readme` is said, `README.md` is meant. */
export const spokenName = (word: string): string => (/^[a-z]+$/.test(word) ? (SPOKEN[word] ?? word) : word);

function hasExtension(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1);
  return /^\.[\w.-]{2,}$/.test(name) || ANY_EXTENSION.test(name);
}

/** `console.log` is code. */
export const isMember = (word: string): boolean =>
  /^(console|this|self|module|process|window|document|math|object|array|promise|os|sys|req|res|err)\.\w+$/i.test(word);
