import { escapeHtml } from './escape.js';

/** Turns Markdown into HTML that can't run, load or style anything. */
export type RenderMarkdown = (text: string) => string;
/** Highlights code; plain escaped text when the language is unknown or the code long. */
export type HighlightCode = (code: string, language: string | undefined) => string;

/** Highlighting is quadratic in bad cases and nobody reads this much in colour. */
const MAX_HIGHLIGHT_CHARS = 20_000;
/** Longer texts are shown as they are. */
const MAX_MARKDOWN_CHARS = 200_000;

const LANGUAGE_ALIASES: Readonly<Record<string, string>> = {
  sh: 'bash',
  shell: 'bash',
  console: 'bash',
  jsonc: 'json',
  mts: 'typescript',
  cts: 'typescript',
  vue: 'xml',
};

export async function loadHighlighter(): Promise<HighlightCode> {
  const { default: hljs } = await import('highlight.js/lib/common');
  return (code, language) => {
    const name = language === undefined ? undefined : (LANGUAGE_ALIASES[language.toLowerCase()] ?? language.toLowerCase());
    if (name === undefined || code.length > MAX_HIGHLIGHT_CHARS || !hljs.getLanguage(name)) return escapeHtml(code);
    return hljs.highlight(code, { language: name, ignoreIllegals: true }).value;
  };
}

/**
 * Markdown through `marked`, with HTML in it shown as text, and then through an allow-list: what a flaw of the first lets through
 * the second takes out, and the page's policy stands behind both. Images are not loaded: they become links.
 */
export async function loadMarkdown(highlight: HighlightCode): Promise<RenderMarkdown> {
  const [{ Marked }, { default: sanitize }] = await Promise.all([import('marked'), import('sanitize-html')]);
  const marked = new Marked({
    gfm: true,
    breaks: true,
    async: false,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ href, text }) => linkTo(href, escapeHtml(text || href)),
      link({ href, tokens }) {
        return linkTo(href, this.parser.parseInline(tokens));
      },
      code: ({ text, lang }) => `<pre><code class="hljs">${highlight(text, lang?.split(/\s/)[0])}</code></pre>\n`,
    },
  });
  return (text) => {
    if (text.length > MAX_MARKDOWN_CHARS) return `<pre>${escapeHtml(text)}</pre>`;
    return sanitize(marked.parse(text) as string, {
      allowedTags: [
        ...[
          'p',
          'br',
          'hr',
          'h1',
          'h2',
          'h3',
          'h4',
          'h5',
          'h6',
          'ul',
          'ol',
          'li',
          'blockquote',
          'pre',
          'code',
          'span',
          'em',
          'strong',
          'del',
          'a',
        ],
        ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'input'],
      ],
      allowedAttributes: {
        a: ['href', 'rel'],
        code: ['class'],
        span: ['class'],
        th: ['align'],
        td: ['align'],
        ol: ['start'],
        input: ['type', 'checked', 'disabled'],
      },
      allowedClasses: { code: ['hljs'], span: [/^hljs-[\w-]+$/, /^(?:function|class|inherited)_$/] },
      allowedSchemes: ['http', 'https', 'mailto'],
      allowProtocolRelative: false,
      disallowedTagsMode: 'escape',
      // Quotes stay escaped in text too: what looks like an attribute there must not look like one to anybody.
      textFilter: (escaped) => escaped.replace(/"/g, '&quot;').replace(/'/g, '&#39;'),
    });
  };
}

function linkTo(href: string, html: string): string {
  if (!/^(?:https?:|mailto:|#)/i.test(href.trim())) return html;
  return `<a href="${escapeHtml(href.trim())}" rel="noopener noreferrer nofollow">${html}</a>`;
}
