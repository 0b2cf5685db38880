import type { ModelRequestOptions } from '../protocol/model-stream.js';

/** How `JSON.stringify` writes a lone surrogate, told apart from an escaped backslash before a plain `ud800`. */
const ESCAPED_SURROGATE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** The value as JSON that every provider takes: lone surrogates, which they refuse, become U+FFFD. */
export function encodeWire(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(ESCAPED_SURROGATE, (match) => (match === '\\\\' ? match : '\ufffd'));
}

/** What one message, or a group of messages, is in a provider's dialect; encoded once, when first needed. */
export class WireItems<T> {
  readonly items: readonly T[];
  #json: string | undefined;

  constructor(items: readonly T[]) {
    this.items = items;
  }

  /** The items as the inside of a JSON array; empty when there are none. */
  get json(): string {
    this.#json ??= this.items.map(encodeWire).join(',');
    return this.#json;
  }
}

interface Made<T> {
  variant: string;
  members: readonly object[];
  wire: WireItems<T>;
}

/**
 * Remembers what stored messages became, so that a long tool loop converts and encodes each message once. `variant` names
 * everything but the messages that the result depends on; only the last variant is kept.
 */
export class WireCache<T> {
  readonly #made = new WeakMap<object, Made<T>>();

  get(members: readonly object[], variant: string, make: () => T[]): WireItems<T> {
    const [first] = members;
    if (!first) return new WireItems(make());
    const known = this.#made.get(first);
    if (known && known.variant === variant && isSame(known.members, members)) return known.wire;
    const wire = new WireItems(make());
    this.#made.set(first, { variant, members, wire });
    return wire;
  }
}

const isSame = (a: readonly object[], b: readonly object[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** A request body whose one long list is made of parts that are already encoded. */
export class RequestBody {
  constructor(
    readonly fields: Readonly<Record<string, unknown>>,
    readonly listName: string,
    readonly parts: readonly WireItems<unknown>[],
  ) {}

  toObject(): Record<string, unknown> {
    return { ...this.fields, [this.listName]: this.parts.flatMap((part) => part.items) };
  }

  toText(): string {
    const list = this.parts
      .map((part) => part.json)
      .filter((json) => json !== '')
      .join(',');
    return `${encodeWire(this.fields).slice(0, -1)},${JSON.stringify(this.listName)}:[${list}]}`;
  }
}

/** The text to send, after the hook that may change the payload: in place, or by returning another. */
export async function payloadText(body: RequestBody, onPayload: ModelRequestOptions['onPayload']): Promise<string> {
  if (!onPayload) return body.toText();
  let made: Record<string, unknown> | undefined;
  const answer = onPayload(() => {
    made ??= body.toObject();
    return made;
  });
  const replaced = answer instanceof Promise ? await answer : answer;
  if (replaced !== undefined) return encodeWire(replaced);
  return made ? encodeWire(made) : body.toText();
}
