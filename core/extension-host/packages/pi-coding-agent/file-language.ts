import { basename, extname } from 'node:path';

/** Names of the highlighter's languages, by extension or whole name. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  bash: ['.sh', '.bash', '.zsh', '.fish'],
  c: ['.c', '.h'],
  cpp: ['.cpp', '.cc', '.cxx', '.hpp', '.hh'],
  csharp: ['.cs'],
  css: ['.css'],
  dart: ['.dart'],
  diff: ['.diff', '.patch'],
  dockerfile: ['dockerfile', '.dockerfile'],
  elixir: ['.ex', '.exs'],
  erlang: ['.erl'],
  go: ['.go'],
  graphql: ['.graphql', '.gql'],
  haskell: ['.hs'],
  html: ['.html', '.htm'],
  ini: ['.ini', '.toml'],
  java: ['.java'],
  javascript: ['.js', '.jsx', '.mjs', '.cjs'],
  json: ['.json'],
  kotlin: ['.kt', '.kts'],
  less: ['.less'],
  lua: ['.lua'],
  makefile: ['makefile', '.mk'],
  markdown: ['.md', '.markdown'],
  objectivec: ['.m', '.mm'],
  perl: ['.pl', '.pm'],
  php: ['.php'],
  python: ['.py', '.pyi'],
  r: ['.r'],
  ruby: ['.rb', 'gemfile', 'rakefile'],
  rust: ['.rs'],
  scala: ['.scala'],
  scss: ['.scss', '.sass'],
  sql: ['.sql'],
  swift: ['.swift'],
  typescript: ['.ts', '.tsx', '.mts', '.cts'],
  vue: ['.vue'],
  xml: ['.xml', '.svg'],
  yaml: ['.yml', '.yaml'],
};

let byName: Map<string, string> | undefined;

/** The language of a file for {@link highlightCode}, told by its name; undefined for one nobody knows. */
export function getLanguageFromPath(filePath: string): string | undefined {
  byName ??= new Map(Object.entries(LANGUAGES).flatMap(([language, names]) => names.map((name) => [name, language] as const)));
  const name = basename(filePath).toLowerCase();
  return byName.get(name) ?? byName.get(extname(name));
}
