import { defaultTheme, type ThemeColor } from '../theme.js';
import { highlighter } from './sync-libraries.js';

/** The part of a theme that colours code. */
interface CodeTheme {
  fg(color: ThemeColor, text: string): string;
}

/** The highlighter's scopes, by their first word, in the colours of a theme. */
const COLORS: Readonly<Record<string, ThemeColor>> = {
  keyword: 'syntaxKeyword',
  literal: 'syntaxNumber',
  number: 'syntaxNumber',
  string: 'syntaxString',
  regexp: 'syntaxString',
  char: 'syntaxString',
  comment: 'syntaxComment',
  doctag: 'syntaxComment',
  meta: 'syntaxKeyword',
  title: 'syntaxFunction',
  function: 'syntaxFunction',
  section: 'syntaxFunction',
  built_in: 'syntaxType',
  type: 'syntaxType',
  class: 'syntaxType',
  tag: 'syntaxKeyword',
  name: 'syntaxKeyword',
  selector: 'syntaxKeyword',
  attr: 'syntaxVariable',
  attribute: 'syntaxVariable',
  variable: 'syntaxVariable',
  property: 'syntaxVariable',
  template: 'syntaxVariable',
  symbol: 'syntaxVariable',
  operator: 'syntaxOperator',
  punctuation: 'syntaxPunctuation',
};

/** Beyond this, colours are not worth the wait. */
const MAX_CHARS = 200_000;

/** The lines of a code in colours. A language nobody knows, or none, gives one colour for all. Source: extensions document. */
export function highlightCode(code: string, lang?: string, theme: CodeTheme = defaultTheme()): string[] {
  const library = lang !== undefined && code.length <= MAX_CHARS ? highlighter() : undefined;
  if (lang === undefined || library?.getLanguage(lang) === undefined)
    return code.split('\n').map((line) => theme.fg('mdCodeBlock', line));
  return coloured(library.highlight(code, { language: lang, ignoreIllegals: true }).value, theme).split('\n');
}

const TOKEN = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** The highlighter's HTML as terminal colours; a scope within another has the inner colour. */
function coloured(html: string, theme: CodeTheme): string {
  const scopes: (ThemeColor | undefined)[] = [];
  let result = '';
  let plain = '';
  const flush = (): void => {
    const color = scopes.findLast((scope) => scope !== undefined);
    // Each line by itself, as lines are shown apart.
    result += color === undefined ? plain : plain.replace(/[^\n]+/g, (text) => theme.fg(color, text));
    plain = '';
  };
  for (const [token, classes, character] of html.matchAll(TOKEN)) {
    if (character !== undefined) plain += CHARACTERS[character] ?? '';
    else if (classes !== undefined) {
      flush();
      scopes.push(COLORS[/hljs-([a-z_]+)/.exec(classes)?.[1]?.replace(/_$/, '') ?? '']);
    } else if (token === '</span>') {
      flush();
      scopes.pop();
    } else plain += token;
  }
  flush();
  return result;
}
