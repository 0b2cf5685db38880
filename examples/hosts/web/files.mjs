// The files of the page, and the one library it uses. Nothing else can be asked for.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('./page/', import.meta.url));
const require = createRequire(import.meta.url);
const MARKED = path.join(path.dirname(require.resolve('marked')), 'marked.esm.js');
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

const HEADERS = {
  // No inline code and nothing from elsewhere: what a model writes can't become part of the page.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Answers with a file of the page. */
export async function files(pathname, response) {
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const file = name === 'vendor/marked.js' ? MARKED : path.join(PAGE, name);
  const type = TYPES[path.extname(name)];
  const isOwn = file === MARKED || (path.dirname(file) + path.sep === PAGE && /^[\w-]+\.\w+$/.test(name));
  const content = type && isOwn ? await readFile(file).catch(() => undefined) : undefined;
  if (content === undefined) response.writeHead(404, HEADERS).end('There is no such file');
  else response.writeHead(200, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(content);
}
