import { lexer } from '/vendor/marked.js';
import { el } from './dom.js';

/**
 * Markdown as elements. It is built node by node: what looks like HTML in a text is shown as text, and an address leads only where a web page or a
 * mail program would.
 */
export function markdown(text) {
  return blocks(lexer(text));
}

const blocks = (tokens = []) => tokens.flatMap((token) => block(token) ?? []);
const inlines = (tokens = []) => tokens.map(inline);

function block(token) {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined;
    case 'heading':
      // The page has headings of its own: those of an answer come below them.
      return el(`h${Math.min(token.depth + 2, 6)}`, {}, ...inlines(token.tokens));
    case 'paragraph':
      return el('p', {}, ...inlines(token.tokens));
    case 'text':
      return el('span', {}, ...(token.tokens ? inlines(token.tokens) : [plain(token)]));
    case 'code':
      return el('pre', { tabindex: '0' }, el('code', {}, token.text));
    case 'blockquote':
      return el('blockquote', {}, ...blocks(token.tokens));
    case 'list': {
      const start = token.ordered && token.start !== 1 ? { start: token.start } : {};
      return el(token.ordered ? 'ol' : 'ul', start, ...token.items.map((item) => el('li', {}, ...blocks(item.tokens))));
    }
    case 'table':
      return table(token);
    case 'hr':
      return el('hr');
    default:
      return el('p', {}, token.raw);
  }
}

function table({ header, rows }) {
  const row = (cells, tag) => el('tr', {}, ...cells.map((cell) => el(tag, {}, ...inlines(cell.tokens))));
  return el(
    'table',
    { tabindex: '0' },
    el('thead', {}, row(header, 'th')),
    el('tbody', {}, ...rows.map((cells) => row(cells, 'td'))),
  );
}

function inline(token) {
  switch (token.type) {
    case 'strong':
      return el('strong', {}, ...inlines(token.tokens));
    case 'em':
      return el('em', {}, ...inlines(token.tokens));
    case 'del':
      return el('del', {}, ...inlines(token.tokens));
    case 'codespan':
      return el('code', {}, token.text);
    case 'br':
      return el('br');
    case 'link':
      return link(token);
    case 'text':
      return token.tokens ? el('span', {}, ...inlines(token.tokens)) : plain(token);
    case 'escape':
      return token.text;
    // Pictures of elsewhere would tell others what is read here.
    case 'image':
      return `[${token.text || 'image'}]`;
    default:
      return token.raw;
  }
}

function link({ href, tokens }) {
  if (!/^(?:https?:|mailto:)/i.test(href)) return el('span', {}, ...inlines(tokens));
  return el('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...inlines(tokens));
}

/** The lexer writes some characters as HTML would have them. */
function plain({ raw }) {
  return raw.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" })[entity],
  );
}
