import { WireItems } from './request-body.js';
import { isWire, type Wire } from './wire-values.js';

const CACHE = { cache_control: { type: 'ephemeral' } } as const;

/**
 * Anthropic's cache marks in OpenAI's dialect: on the system prompt, the last tool and the last text of the conversation.
 * Source: models document, `cacheControlFormat`.
 */
export function markCache(
  parts: readonly WireItems<Wire>[],
  tools: readonly Wire[],
): { parts: readonly WireItems<Wire>[]; tools: readonly Wire[] } {
  const marked = [...parts];
  const mark = (at: number): boolean => {
    const items = marked[at]?.items ?? [];
    for (let item = items.length - 1; item >= 0; item--) {
      const message = withMark(items[item]);
      if (!message) continue;
      marked[at] = new WireItems(items.with(item, message));
      return true;
    }
    return false;
  };
  const isSystem = parts[0]?.items[0]?.role === 'system' || parts[0]?.items[0]?.role === 'developer';
  if (isSystem) mark(0);
  for (let at = marked.length - 1; at > 0 || (at === 0 && !isSystem); at--) if (mark(at)) break;
  const lastTool = tools.at(-1);
  return { parts: marked, tools: lastTool ? [...tools.slice(0, -1), { ...lastTool, ...CACHE }] : tools };
}

/** The message with its last text marked; undefined when it has none. */
function withMark(message: Wire | undefined): Wire | undefined {
  if (!message) return undefined;
  const { content } = message;
  if (typeof content === 'string')
    return content === '' ? undefined : { ...message, content: [{ type: 'text', text: content, ...CACHE }] };
  if (!Array.isArray(content)) return undefined;
  const at = content.findLastIndex((part: unknown) => isWire(part) && part.type === 'text');
  return at < 0 ? undefined : { ...message, content: content.with(at, { ...content[at], ...CACHE }) };
}
