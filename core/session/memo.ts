/**
 * Remembers what was made of an object, per variant, for as long as the object lives: unchanged history gives identical
 * results, request after request.
 */
export class Memo<K extends object, V> {
  readonly #made = new WeakMap<K, Map<string, V>>();

  /** What is remembered already. */
  peek(key: K, variant: string): V | undefined {
    return this.#made.get(key)?.get(variant);
  }

  get(key: K, variant: string, make: () => V): V {
    let variants = this.#made.get(key);
    if (!variants) {
      variants = new Map();
      this.#made.set(key, variants);
    }
    const known = variants.get(variant);
    if (known !== undefined) return known;
    const value = make();
    variants.set(variant, value);
    return value;
  }
}
